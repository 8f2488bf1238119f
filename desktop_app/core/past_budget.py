"""The budget of a sent request: its recorded rows, split over its blocks by a measure quick enough for any length."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from desktop_app.core.context import ContextPlan, PlannedBlock
from desktop_app.core.context_budget import BlockTokens, Budget, BudgetRow, largest_remainder
from desktop_app.core.conversation import Block, to_json
from desktop_app.core.request import Request
from desktop_app.core.request_log import RequestRecord, plan_of
from desktop_app.core.segment import Segment
from desktop_app.core.token_estimate import TokenEstimator, block_features
from desktop_app.core.usage import Figure, Known

_NARROW = 0.28
"""Tokens of an ASCII character, signs and spaces among letters."""
_WIDE = 0.85
"""Tokens of a character that takes three bytes: Hangul, Han."""
_MEDIA = ("image", "document")


def past_budget(record: RequestRecord, request: Request, sources: Mapping[tuple[int, int], str]) -> Budget:
    """The rows as they were recorded, which sum to the record's total; the figures of their blocks are estimates.

    `sources` as in `request_log.plan_of`. A row that was recorded without blocks stays, for the sum.
    """
    inside = _by_segment(plan_of(request, record.spans, sources))
    stored = dict(record.rows)
    rows = tuple(
        _row(segment, inside[segment], stored.get(segment))
        for segment in Segment
        if segment in stored or segment in inside
    )
    return Budget(request.model, record.total, rows, record.reserve, record.window, record.estimated)


def rough_tokens(block: Block) -> float:
    """About how many tokens a block has, from the length of its text alone."""
    kind = block.get("type")
    if kind in _MEDIA:
        return TokenEstimator().estimate(block_features(block, "message")).tokens
    if kind in ("text", "thinking"):
        return _rough(str(block.get(kind, "")))
    return _rough(to_json(block))


def _rough(text: str) -> float:
    # Two of the three bytes of a wide character are more than its one letter.
    wide = 0.0 if text.isascii() else (len(text.encode("utf-8", "surrogatepass")) - len(text)) / 2
    return 1.0 + _NARROW * (len(text) - wide) + _WIDE * wide


def _by_segment(plan: ContextPlan) -> dict[Segment, list[PlannedBlock]]:
    inside: dict[Segment, list[PlannedBlock]] = defaultdict(list)
    for blocks in (plan.tools, plan.system, *(message.blocks for message in plan.messages)):
        for planned in blocks:
            inside[planned.segment].append(planned)
    return inside


def _row(segment: Segment, blocks: Sequence[PlannedBlock], stored: Figure | None) -> BudgetRow:
    rough = [rough_tokens(planned.block) for planned in blocks]
    whole = sum(rough)
    figure = stored or Figure(round(whole), Known.ESTIMATED)
    shares = largest_remainder([value * figure.tokens / whole for value in rough], figure.tokens)
    known = figure.known if len(blocks) == 1 else Known.ESTIMATED
    parts = (BlockTokens(planned, Figure(share, known)) for planned, share in zip(blocks, shares, strict=True))
    return BudgetRow(segment, figure, tuple(parts))
