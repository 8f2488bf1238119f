"""Sends the requests of one compaction and keeps them in the log; their answers are no messages of the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from desktop_app.core import errors, turn_events
from desktop_app.core.conversation import Message
from desktop_app.core.partial_reply import PartialReply
from desktop_app.core.ports import ConversationStore, ModelEndpoint
from desktop_app.core.request_log import RequestPurpose, RequestRecord
from desktop_app.core.stream import StreamEvent, TextDelta
from desktop_app.services.aside import Answer, answered
from desktop_app.services.patience import Patience
from desktop_app.services.reply_writing import Emit
from desktop_app.services.sending import Sending
from desktop_app.services.turn_context import Prepared, TurnContext, TurnSetting

MOST_SUMMARY = 8_000
"""Most tokens of a summary, thinking included."""
_LEAST_SUMMARY = 1_000
"""With less room than this no summary comes to its end."""


class Asking:
    """One for each compaction. `ids` are conversation and last turn, `turn` is the number of that turn; `started` is
    told again before each question, with its number.

    `records` are the requests that left, in order, whatever came of them.
    """

    def __init__(
        self,
        store: ConversationStore,
        context: TurnContext,
        sending: Sending,
        client: ModelEndpoint,
        ids: tuple[str, str],
        turn: int,
        started: turn_events.FoldingStarted,
        emit: Emit,
        patience: Patience,
    ) -> None:
        self._store = store
        self._context = context
        self._sending = sending
        self._client = client
        self._ids = ids
        self._turn = turn
        self._started = started
        self._emit = emit
        self._patience = patience
        self._number = 0
        self.records: list[RequestRecord] = []

    async def ask(self, path: Sequence[Message], setting: TurnSetting) -> Answer:
        """The answer to a path (root first); its text is told piece by piece.

        Raises ContextTooLarge, RequestRefused, EndpointError.
        """
        self._number += 1
        self._emit(replace(self._started, attempt=self._number))
        try:
            return await self._answered(path, setting)
        except errors.ThinkingUnfit as error:
            self._emit(turn_events.RetryScheduled(*self._ids, 0.0, 2, 2, error))
            # Thinking of another epoch is not sent, and no epoch of the conversation has this number yet.
            epoch = replace(setting.epoch, number=setting.epoch.number + 1)
            return await self._answered(path, replace(setting, epoch=epoch))

    async def _answered(self, path: Sequence[Message], setting: TurnSetting) -> Answer:
        """Sends until an answer is whole; every attempt is a request of its own in the log."""
        prepared = await self._ready(path, setting)
        partial = PartialReply()

        async def attempt() -> Answer:
            nonlocal partial, prepared
            partial, leaving = PartialReply(), prepared
            prepared = replace(prepared, counted=None)  # it was counted once, however often it is sent
            return await self._attempt(leaving, partial, setting)

        return await self._patience.until_done(attempt, lambda: partial.anything)

    async def _ready(self, path: Sequence[Message], setting: TurnSetting) -> Prepared:
        """The request, planned, fitted to the window and checked."""
        prepared = await self._context.prepare(self._ids[0], path, setting)
        if prepared.near_limit and setting.features.counting:
            prepared = await self._sending.counted(prepared, setting, self._client) or prepared
        least = min(_LEAST_SUMMARY, setting.choices.max_tokens)
        return await self._sending.ready(prepared, setting, self._ids[0], RequestPurpose.MEMO, least=least)

    async def _attempt(self, prepared: Prepared, partial: PartialReply, setting: TurnSetting) -> Answer:
        """One request: streams it and records what came of it, also after a stop, a failure or a fault."""
        out = await self._sending.leave(prepared, setting, self._ids, self._turn, self._number, RequestPurpose.MEMO)
        place = len(self.records)
        self.records.append(out.record)

        def keep(record: RequestRecord) -> None:
            self.records[place] = record

        return await answered(self._store, self._sending, self._client, out, setting, partial, self._tell, keep)

    def _tell(self, event: StreamEvent) -> None:
        if isinstance(event, TextDelta):
            self._emit(turn_events.MemoArrived(*self._ids, event.text))


def with_room(setting: TurnSetting) -> TurnSetting:
    """The same with the output limit of a summary; nothing that counts for the cache is changed.

    Our prompt at the end is never sent again, so it is not kept.
    """
    most = min(MOST_SUMMARY, setting.model.output_limit or MOST_SUMMARY)
    return replace(setting, choices=replace(setting.choices, max_tokens=most, continues=False))
