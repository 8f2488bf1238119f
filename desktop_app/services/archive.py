"""Searches everything that was ever said in a profile, also what a summary stands in place of now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from desktop_app.core.archive import ArchiveFound, ArchiveHit, Standing, message_text, standings
from desktop_app.core.call_results import KeptResult, results_by_id
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import memo_in_use
from desktop_app.core.conversation import Block, Message, is_blank
from desktop_app.core.errors import NotFound
from desktop_app.core.ports import ConversationStore, FactSearch
from desktop_app.core.recall.values import FactHit
from desktop_app.core.text_cut import cut_back
from desktop_app.core.tool_results import text_of_result

PAGE = 3_500
"""Characters of a page."""

_INDEXED_AT_ONCE = 100
_MOST_BEFORE_SEARCH = 1_000


@dataclass(frozen=True, slots=True)
class ArchiveAnswer:
    """What answers a query: messages and long-term facts, each best first.

    `left` messages cannot be found yet: they come from an earlier version and get their words little by little.
    """

    messages: tuple[ArchiveHit, ...] = ()
    facts: tuple[FactHit, ...] = ()
    left: int = 0


@dataclass(frozen=True, slots=True)
class TextPage:
    """Characters `start` to `end` of a text of `total`; the next page begins at `end`."""

    text: str
    start: int
    end: int
    total: int

    @property
    def is_last(self) -> bool:
        """Whether nothing follows."""
        return self.end >= self.total


class ArchiveService:
    """One search for the window, the commands and the tools. Raises StoreUnavailable."""

    def __init__(self, store: ConversationStore, facts: FactSearch) -> None:
        self._store = store
        self._facts = facts

    async def search(
        self,
        profile: str,
        query: str,
        conversation_id: str | None = None,
        limit: int = 8,
        *,
        facts: bool = True,
        asked_in: str = "",
        masked: bool = False,
    ) -> ArchiveAnswer:
        """The messages of a profile, or of one of its conversations, and the facts that answer a query best; at most
        `limit` of each, facts only when asked for; those that hold in the conversation `asked_in` only, too.
        For a model the excerpts are `masked`."""
        if is_blank(query) or limit < 1:
            return ArchiveAnswer()
        found = await self._store.search_messages(profile, query, limit, conversation_id, masked=masked)
        if found.left:
            await self._catch_up()
            found = await self._store.search_messages(profile, query, limit, conversation_id, masked=masked)
        known = await self._facts.search(profile, query, limit, (), asked_in or conversation_id or "") if facts else []
        return ArchiveAnswer(await self._placed(found), tuple(known), found.left)

    async def message(self, message_id: str, start: int = 0) -> TextPage:
        """A page of all that a message says; raises NotFound."""
        return page_of(message_text((await self._store.message(message_id)).blocks), start)

    async def tool_result(self, conversation_id: str, tool_use_id: str, start: int = 0) -> TextPage:
        """A page of the whole result of a call of a conversation, by the id the request tells (`results_by_id`); of
        other branches by the id it came with. Raises NotFound."""
        return page_of(text_of_result(await self._result(conversation_id, tool_use_id)), start)

    async def results(self, conversation_id: str) -> dict[str, KeptResult | None]:
        """The results on the path in use by the ids they are read by (`results_by_id`); raises NotFound."""
        path = await self._store.path(conversation_id)
        return results_by_id(path, await self._compaction_in_use(conversation_id, path))

    async def index_all(self) -> None:
        """Lets all messages of earlier versions be found: in the background of a window, a few at a time."""
        while await self._store.index_messages(_INDEXED_AT_ONCE):
            pass

    async def _catch_up(self) -> None:
        for _ in range(0, _MOST_BEFORE_SEARCH, _INDEXED_AT_ONCE):
            if not await self._store.index_messages(_INDEXED_AT_ONCE):
                break

    async def _placed(self, found: ArchiveFound) -> tuple[ArchiveHit, ...]:
        """The hits with where each stands in its conversation."""
        by_conversation = {
            conversation_id: await self._standings(conversation_id)
            for conversation_id in dict.fromkeys(hit.conversation_id for hit in found.hits)
        }
        return tuple(
            replace(hit, standing=by_conversation[hit.conversation_id].get(hit.message_id, Standing.BRANCH))
            for hit in found.hits
        )

    async def _standings(self, conversation_id: str) -> dict[str, Standing]:
        try:
            path = await self._store.path_ids(conversation_id)
            return standings(path, await self._store.compactions(conversation_id))
        except NotFound:
            return {}  # deleted for good since it was found

    async def _result(self, conversation_id: str, tool_use_id: str) -> Block:
        known = await self.results(conversation_id)
        if tool_use_id not in known:
            aside = await self._store.tool_results(conversation_id, tool_use_id)
            known = {tool_use_id: KeptResult(*aside[0])} if aside else {}
        kept = known.get(tool_use_id)
        if kept is None:
            raise NotFound(what="tool_result")
        return kept.block

    async def _compaction_in_use(self, conversation_id: str, path: Sequence[Message]) -> Compaction | None:
        """The one the last request stood under: not every model takes a block of the API's own."""
        compactions = await self._store.compactions(conversation_id)
        memo = memo_in_use(path, compactions)
        if memo is None or memo.block is None:
            return memo
        epochs = await self._store.epochs(conversation_id)
        return memo_in_use(path, compactions, blocks=not epochs or epochs[-1].compaction_id == memo.id)


def page_of(text: str, start: int) -> TextPage:
    """The page of a text that begins at a character; one behind the end is empty."""
    start = min(max(start, 0), len(text))
    end = min(start + PAGE, len(text))
    # A chain of marks longer than a page would never end.
    end = max(cut_back(text, end), start + 1) if end < len(text) else end
    return TextPage(text[start:end], start, end, len(text))
