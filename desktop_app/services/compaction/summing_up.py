"""From a draft to the text that will stand in the context: what is carried word for word, the check, the repair."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop_app.core.compaction.compaction import SERVER_STRATEGIES, Strategy, WrittenBy
from desktop_app.core.compaction.memo import DOUBT
from desktop_app.core.compaction.summary_check import HeldAgainst, SummaryCheck
from desktop_app.core.compaction.summary_text import compose
from desktop_app.core.compaction.value_check import CheckedValue, Fate, SourceText
from desktop_app.core.compaction.value_lines import value_lines
from desktop_app.core.conversation import Block, is_blank
from desktop_app.core.errors import MemoUnusable, SummaryUnusable
from desktop_app.services.compaction.leaving import Leaving
from desktop_app.services.compaction.strategies import CompactionStrategy, Draft, Work

_MOST_NAMED = 80
"""Lost values a second draft is told of: more would only fill the prompt, and are appended anyway."""


@dataclass(frozen=True, slots=True)
class SummedUp:
    """The text that stands in the context, and the draft it was made from."""

    text: str
    draft: Draft


async def summed_up(strategy: CompactionStrategy, work: Work) -> SummedUp:
    """A draft, checked; a second one naming what the first lost; what is still lost stands behind it word for word.

    Raises what the strategy raises for its first draft, and SummaryUnusable for one that is longer than its source.
    """
    leaving = work.leaving
    draft = await strategy.draft(work)
    _refuse_long(compose(draft.body, leaving.carried, leaving.language), leaving)  # a second one would be longer
    check = await checked(draft, leaving)
    if _asks_again(draft, check):
        named = tuple(value.text for value in (*check.lost, *check.reworded))[:_MOST_NAMED]
        try:
            other = await strategy.draft(replace(work, missing=named))
        except (MemoUnusable, SummaryUnusable):
            other = draft  # the first one stands
        found = await checked(other, leaving)
        if _rank(found) < _rank(check):
            draft, check = other, found
    doubted = replace(draft, body=with_doubts(draft.body, check.invented))
    return SummedUp(with_values(doubted, leaving, check), doubted)


def check_text(
    text: str,
    block: Block | None,
    sources: Sequence[SourceText],
    language: str,
    strategy: Strategy,
    tokens: tuple[int, int],
) -> SummaryCheck:
    """The check of what stands in the context, the API's own text with ours; `tokens` folded and of the summary."""
    return _checked_text(text, block, HeldAgainst(sources), language, strategy, tokens)


def _checked_text(
    text: str,
    block: Block | None,
    against: HeldAgainst,
    language: str,
    strategy: Strategy,
    tokens: tuple[int, int],
) -> SummaryCheck:
    written = str(block.get("content") or "") if block else ""
    said = "\n\n".join(part for part in (written, text) if not is_blank(part))
    check = against.check(said, language=language, strategy=strategy, folded_tokens=tokens[0], summary_tokens=tokens[1])
    if strategy is not Strategy.WINDOW:
        return check
    # The note is the app's: nothing in it was claimed of the conversation.
    return replace(check, values=tuple(value for value in check.values if value.fate is not Fate.INVENTED))


async def checked(draft: Draft, leaving: Leaving) -> SummaryCheck:
    """The check of a draft with what is carried anyway; off the event loop, for it may take a third of a second."""
    text = compose(draft.body, leaving.carried, leaving.language)
    tokens = (leaving.tokens, leaving.tokens_of(text))
    language, strategy = leaving.language, leaving.strategy
    return await asyncio.to_thread(_checked_text, text, draft.block, leaving.held_against, language, strategy, tokens)


def with_values(draft: Draft, leaving: Leaving, check: SummaryCheck) -> str:
    """The text with what the draft lost behind it; raises SummaryUnusable where it is no shorter than its source."""
    carried = leaving.carried
    if leaving.strategy is not Strategy.WINDOW:
        lost: Sequence[CheckedValue] = (*check.lost, *check.reworded)
        lines, _ = value_lines(lost, leaving.values_budget, leaving.tokens_of)
        carried = replace(carried, values=lines)
    text = compose(draft.body, carried, leaving.language)
    _refuse_long(text, leaving)
    return text


def _refuse_long(text: str, leaving: Leaving) -> None:
    own = leaving.strategy not in (Strategy.WINDOW, *SERVER_STRATEGIES)
    if own and leaving.tokens_of(text) >= leaving.tokens:
        raise SummaryUnusable(why="too_long")


def _asks_again(draft: Draft, check: SummaryCheck) -> bool:
    if draft.by in (WrittenBy.NOBODY, WrittenBy.SERVER):
        return False
    return not check.good or bool(check.reworded)


def _rank(check: SummaryCheck) -> tuple[int, int, int, float]:
    """The smaller the better."""
    missing = len(check.lost) + len(check.reworded)
    return (int(not check.right_language), missing, len(check.invented), -check.rouge)


def with_doubts(body: str, invented: Sequence[CheckedValue]) -> str:
    """The body with a mark behind each value that stands nowhere in what was folded; the prompt explains it."""
    texts = sorted({value.text for value in invented if "\n" not in value.text}, key=len, reverse=True)
    if not texts:
        return body
    found = re.compile("|".join(rf"(?<!\w){re.escape(text)}(?!\w)(?! \(\?\))" for text in texts))
    return found.sub(lambda match: f"{match[0]} {DOUBT}", body)
