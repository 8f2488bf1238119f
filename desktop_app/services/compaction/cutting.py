"""Where a context is cut so that it gets below the threshold: first a shorter tail, then shorter results of tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.core.compaction import trigger
from desktop_app.core.compaction.boundary import Boundary
from desktop_app.core.compaction.compaction import Compaction, Strategy
from desktop_app.core.conversation import now
from desktop_app.core.errors import NothingToFold
from desktop_app.core.segment import Segment
from desktop_app.services.compaction.fill import ContextFill, FillGauge, shares_of, summary_tokens
from desktop_app.services.compaction.ways import USUAL_SUMMARY

_SHORT_RESULT = 1_000
"""Characters of a tool result that stay where nothing else gets the context below the threshold."""
_FIXED = (Segment.SYSTEM, Segment.TOOLS, Segment.FACTS)


@dataclass(frozen=True, slots=True)
class Cut:
    """A boundary, the tokens that leave there (an earlier summary with them), those of all messages the new summary
    will stand for, and the context after it as foreseen.

    `stuck` is the catalogue id of what keeps it above the threshold; `enough`: there is enough to fold for it to
    happen by itself.
    """

    boundary: Boundary
    leaving: int
    stands_for: int
    after: int
    rows_after: tuple[tuple[Segment, int], ...]
    result_limit: int | None = None
    stuck: str = ""
    enough: bool = True


class Cutting:
    """Tries cuts without sending anything."""

    def __init__(self, gauge: FillGauge) -> None:
        self._gauge = gauge

    async def cut(self, fill: ContextFill, *, by_api: bool = False) -> Cut:
        """The first cut that gets the context below the threshold, else the one that leaves least; raises
        NothingToFold. What the API compacted by itself is cut whatever the threshold."""
        keep = fill.keep
        tight = fill.over or by_api
        first = fill.boundary()
        if first is None and not tight:
            raise NothingToFold(tokens=keep)
        best: Cut | None = None
        tails = (None, keep // 2, keep // 4, 0) if tight else (None,)
        for tail, limit in [*((tail, None) for tail in tails), *([(0, _SHORT_RESULT)] if fill.over else [])]:
            boundary = fill.boundary(tail)
            if boundary is None:
                continue
            cut = await self._foreseen(fill, boundary, limit)
            if best is None or cut.after < best.after:
                best = cut
            if cut.after < fill.threshold:
                return cut
        if best is None:
            raise NothingToFold(tokens=keep)
        return best

    async def _foreseen(self, fill: ContextFill, boundary: Boundary, limit: int | None) -> Cut:
        base = fill.setting.compaction
        standing = summary_tokens(fill.budget) if base and fill.budget else 0
        leaving = boundary.folded_tokens + standing
        stands_for = boundary.folded_tokens + (max(base.folded_tokens, standing) if base else 0)
        budget = await self._gauge.after(fill, _trial(fill, boundary, limit))
        summary = 0 if fill.strategy is Strategy.WINDOW else min(USUAL_SUMMARY, leaving // 4)
        after = budget.total.tokens + summary
        rows = tuple(
            (segment, tokens + (summary if segment is Segment.SUMMARY else 0)) for segment, tokens in shares_of(budget)
        )
        enough = boundary.folded_tokens >= trigger.least_folded(fill.threshold)
        stuck = ""
        fixed = fixed_tokens(rows)
        if trigger.due(fixed, fill.threshold):
            stuck = "compaction.stuck.fixed"
        elif trigger.due(after, fill.threshold) and not trigger.real_gain(fill.used.tokens, after):
            stuck = "compaction.stuck.fixed" if fixed * 2 > after else "compaction.stuck.turn"
        return Cut(boundary, leaving, stands_for, after, rows, limit, stuck, enough)


def fixed_tokens(rows: Sequence[tuple[Segment, int]]) -> int:
    """Tokens of what no compaction makes smaller, of a context by segment."""
    return sum(tokens for segment, tokens in rows if segment in _FIXED)


def _trial(fill: ContextFill, boundary: Boundary, limit: int | None) -> Compaction:
    return Compaction(
        id="trial",
        conversation_id=fill.path[0].conversation_id,
        until_message_id=boundary.until_message_id,
        summary="…",
        folded=boundary.place,
        before=fill.used.tokens,
        after=0,
        created_at=now(),
        model=fill.setting.model.id,
        seconds=0.0,
        strategy=fill.strategy,
        result_limit=limit,
    )
