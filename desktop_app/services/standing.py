"""Where the text of facts still stands after they were deleted: in what was said, and in summaries of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from desktop_app.core.facts import Fact
from desktop_app.core.ports import ConversationStore


@dataclass(frozen=True, slots=True)
class Standing:
    """In how many messages of how many conversations a text still stands after its fact was deleted, and in how
    many summaries that stand in place of messages."""

    messages: int
    conversations: int
    summaries: int = 0


async def standing_of(store: ConversationStore, profile: str, facts: Sequence[Fact]) -> Standing:
    """Where the values of facts still stand: deleting one does not rewrite what was said, or noted of it."""
    values = [fact.value for fact in facts]
    found = await store.messages_with(profile, values)
    summaries = await store.compactions_with(profile, values)
    return Standing(sum(len(ids) for ids in found.values()), len(found), len(summaries))


def told_standing(standing: Standing) -> str:
    """What is left, as one sentence for the model; empty when nothing is."""
    parts = [
        *([_counted(standing.messages, "message")] if standing.messages else []),
        *([_counted(standing.summaries, "summary", "summaries")] if standing.summaries else []),
    ]
    if not parts:
        return ""
    return f"What was said of it stays as it is: the text still stands in {' and '.join(parts)}."


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
