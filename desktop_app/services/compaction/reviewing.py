"""What a person does with a compaction once it is there: check, edit, put back, commit, reject, take back; the log."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from desktop_app.core import errors
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, WrittenBy
from desktop_app.core.compaction.language import language_of
from desktop_app.core.compaction.plan import CompactionLine
from desktop_app.core.compaction.sources import sources_of
from desktop_app.core.compaction.summary_check import SummaryCheck
from desktop_app.core.compaction.summary_text import compose, split
from desktop_app.core.conversation import Message, is_blank, new_id, now
from desktop_app.core.ports import ConversationStore
from desktop_app.services.compaction.fill import ContextFill, FillGauge
from desktop_app.services.compaction.log import log_lines
from desktop_app.services.compaction.summing_up import check_text
from desktop_app.services.prices import PriceService
from desktop_app.services.settings import SettingsService
from desktop_app.services.turn_context import LEAST_RESERVE, TurnContext

_MOST_GROWTH = 4
"""A summary may have so many times the tokens it stands for where no window says what fits."""


class CompactionReview:
    """Asks no model; whoever calls what changes a compaction holds its conversation meanwhile."""

    def __init__(
        self, store: ConversationStore, context: TurnContext, settings: SettingsService, prices: PriceService
    ) -> None:
        self._store = store
        self._context = context
        self._prices = prices
        self._gauge = FillGauge(store, context, settings)

    async def check(self, compaction_id: str, text: str | None = None) -> SummaryCheck:
        """What the text of a compaction (or `text`, while it is edited) keeps of what it folds, computed from what is
        stored. Raises NotFound."""
        made, path, compactions = await self._found(compaction_id)
        by_id = {one.id: one for one in compactions}
        base = by_id.get(made.base_id or "")
        while base is not None and base.until_message_id == made.until_message_id:
            # Another text over the same messages: held against what the first one stands for.
            base = by_id.get(base.base_id or "")
        sources = sources_of(path[base.folded if base else 0 : made.folded], base)
        said = made.summary if text is None else text
        tokens, language = (made.folded_tokens, made.summary_tokens), language_of(path)
        return await asyncio.to_thread(check_text, said, made.block, sources, language, made.strategy, tokens)

    async def revise(self, compaction_id: str, text: str) -> Compaction:
        """The person's own text: of a proposal in its place, of the one in use as another compaction over the same
        messages, so that it can be taken back. Raises NotFound, SummaryBlank, SummaryTooLong where it leaves no room
        in the window, NotEditable."""
        made = await self._store.compaction(compaction_id)
        if is_blank(text) and made.block is None:
            raise errors.SummaryBlank()
        if text == made.summary:
            return made
        changed = replace(made, summary=text, edited=True)
        fill = await self._gauge.preview(made.conversation_id, made.strategy)
        current = fill.setting.compaction
        if made.state is CompactionState.PROPOSED:
            changed = _with_room(await self._gauge.measured(fill, changed), made, fill)
            await self._store.update_compaction(changed)
            return changed
        if current is None or current.id != made.id:
            raise errors.NotEditable()
        fresh = replace(
            changed,
            id=new_id(),
            base_id=made.id,
            before=fill.used.tokens,
            created_at=now(),
            seconds=0.0,
            request_ids=(),
            cause=CompactionCause.BY_HAND,
            written_by=WrittenBy.NOBODY,
        )
        fresh = _with_room(await self._gauge.measured(fill, fresh), made, fill)
        await self._store.add_compaction(fresh)
        return fresh

    async def put_back(self, compaction_id: str, values: Sequence[str]) -> Compaction:
        """Values that the summary lost, word for word behind it; raises as `revise` does."""
        made, path, _ = await self._found(compaction_id)
        check = await self.check(compaction_id)
        missing = {value.text for value in (*check.lost, *check.reworded)}
        body, carried = split(made.summary)
        lines = (*carried.values, *(value for value in dict.fromkeys(values) if value in missing))
        return await self.revise(compaction_id, compose(body, replace(carried, values=lines), language_of(path)))

    async def commit(self, compaction_id: str) -> Compaction:
        """Puts a proposal to use; raises NotFound, ProposalOutdated where the context has changed underneath."""
        made = await self._waiting(compaction_id)
        fill = await self._gauge.preview(made.conversation_id, made.strategy)
        current = fill.setting.compaction  # as the next turn takes it: a block only where the model does
        on_path = any(message.id == made.until_message_id for message in fill.path)
        if not on_path or (current.id if current else None) != made.base_id:
            raise errors.ProposalOutdated()
        return await self._store.activate(await self._gauge.measured(fill, made))

    async def reject(self, compaction_id: str) -> Compaction:
        """Leaves a proposal aside; it stays in the log. Raises NotFound."""
        rejected = replace(await self._waiting(compaction_id), state=CompactionState.REJECTED)
        await self._store.update_compaction(rejected)
        return rejected

    async def undo(self, conversation_id: str, compaction_id: str | None = None) -> list[Compaction]:
        """Takes compactions out of use, the newest or one with all newer ones, so that what they folded is sent again.

        Newest first; none where nothing is in use. Raises NotFound for one that is not in use.
        """
        path = await self._store.path(conversation_id)
        on_path = {message.id for message in path}
        active = [
            one
            for one in await self._store.compactions(conversation_id)
            if one.state is CompactionState.ACTIVE and one.until_message_id in on_path
        ]
        if not active and compaction_id is None:
            return []
        start = len(active) - 1
        if compaction_id is not None:
            start = next((place for place, one in enumerate(active) if one.id == compaction_id), -1)
            if start < 0:
                raise errors.CompactionNotInUse()
        undone = [replace(one, state=CompactionState.UNDONE) for one in reversed(active[start:])]
        await self._store.update_compactions(undone)
        return undone

    async def log(self, conversation_id: str) -> list[CompactionLine]:
        """Every compaction of a conversation, oldest first, failed and rejected ones too, with what each cost."""
        compactions = await self._store.compactions(conversation_id)
        records = await self._store.requests(conversation_id)
        epochs = await self._store.epochs(conversation_id)
        path = await self._store.path(conversation_id)
        conversation = await self._store.conversation(conversation_id)
        prices = None if conversation.simulated else self._prices.prices
        return log_lines(compactions, records, epochs, path, prices)

    async def _found(self, compaction_id: str) -> tuple[Compaction, list[Message], list[Compaction]]:
        """One with the path it lies on and all of its conversation."""
        made = await self._store.compaction(compaction_id)
        compactions = await self._store.compactions(made.conversation_id)
        return made, await self._store.path_to(made.until_message_id), compactions

    async def _waiting(self, compaction_id: str) -> Compaction:
        made = await self._store.compaction(compaction_id)
        if made.state is not CompactionState.PROPOSED:
            raise errors.ProposalOutdated()
        return made


def _with_room(changed: Compaction, made: Compaction, fill: ContextFill) -> Compaction:
    """The edited compaction as it is; raises SummaryTooLong where it grew and the next request has no room beside it.

    A smaller text is always taken, also where the rest alone fills the window.
    """
    window, tokens = fill.setting.model.window, changed.summary_tokens
    if window is not None:
        most = max(0, window - LEAST_RESERVE - (changed.after - tokens))
    else:
        most = _MOST_GROWTH * made.folded_tokens
    if tokens > max(most, made.summary_tokens):
        raise errors.SummaryTooLong(tokens=tokens, most=most)
    return changed
