"""The heat of a budget as the Context panel shows it: what stands before the messages is hot, the end is new."""

from __future__ import annotations

from desktop_app.core.cache.heat import BlockHeat, HeatMap
from desktop_app.core.context_budget import Budget
from desktop_app.core.segment import Segment

STREAK = 12


def heat_map(budget: Budget | None) -> HeatMap | None:
    """Everything is read but half of the last block of the messages and what is written now."""
    if budget is None:
        return None
    rows = {}
    for row in budget.rows:
        blocks = [BlockHeat(row.segment, one.figure.tokens, one.figure.tokens, 0, STREAK) for one in row.blocks]
        if row.segment is Segment.MESSAGES:
            tokens = blocks[-1].tokens
            blocks[-1] = BlockHeat(row.segment, tokens, tokens // 2, tokens - tokens // 2)
        if row.segment is Segment.CURRENT:
            blocks = [BlockHeat(row.segment, one.tokens, 0, one.tokens) for one in blocks]
        rows[row.segment] = tuple(blocks)
    return HeatMap(tuple(block for blocks in rows.values() for block in blocks), rows)
