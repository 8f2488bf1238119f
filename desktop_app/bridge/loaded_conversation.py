"""What the store holds of a conversation: its path with other versions, its requests, the budget of the last one.

Signals:
    shown(): the path was read and is shown.
    titleChanged(str), historyChanged(), measuredChanged(Budget | None), failed(AppError).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.entries import is_unfinished
from desktop_app.bridge.shown_path import ShownPath
from desktop_app.bridge.turn_state import TurnState
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.context import memo_in_use
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Conversation, Message, Role
from desktop_app.core.ports import Branches
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.all_services import Services
from desktop_app.services.context_view import PastRequest, of_turns

_TAIL = 40
"""Messages shown before the whole conversation is read: two pages."""


@dataclass(frozen=True, slots=True)
class _Stored:
    conversation: Conversation
    path: list[Message]
    branches: list[Branches]
    records: list[RequestRecord]
    compactions: list[Compaction]
    tip_id: str | None


class LoadedConversation(QObject):
    """Reads off the GUI thread; while an answer arrives nothing that was read is shown, the turn knows better.

    `history` are the requests behind the path in use, oldest first; `measured` is the budget of the last
    of them, or of the one that runs. `sent` are all requests of the conversation, memos and other versions among
    them, `turns` the messages of the path. `compactions` are all of the conversation, oldest first.
    """

    shown = Signal()
    titleChanged = Signal(str)
    historyChanged = Signal()
    measuredChanged = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        services: Services,
        background: Background,
        path: ShownPath,
        state: TurnState,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._background = background
        self._path = path
        self._state = state
        self.title = ""
        self.history: list[RequestRecord] = []
        self.sent: list[RequestRecord] = []
        self.turns: frozenset[str] = frozenset()
        self.goes_on = False
        """Whether messages are kept behind the end of the path."""
        self.measured: Budget | None = None
        self.compactions: list[Compaction] = []
        self._measured_id: str | None = None
        self.complete = False
        """Whether the whole conversation was read."""
        self._readings = 0

    def read_end(self, conversation_id: str) -> None:
        """Shows the end of the conversation first, then reads the rest."""
        self._background.run(
            self._read_end(conversation_id),
            lambda end: self._show_end(conversation_id, *end),
            self.failed.emit,
        )

    def read(self, conversation_id: str) -> None:
        """Reads all of it again; of several readings the last one is shown."""
        self._readings += 1
        number = self._readings
        self._background.run(self._read(conversation_id), lambda stored: self._show(number, stored), self.failed.emit)

    def adopt(self, conversation: Conversation) -> None:
        """The conversation was stored just now."""
        self.title, self._path.simulated = conversation.title, conversation.simulated
        self.titleChanged.emit(self.title)

    def take_budget(self, request_id: str, budget: Budget) -> None:
        """The budget of the request that runs."""
        self._measure(request_id, budget)

    async def _read_end(self, conversation_id: str) -> tuple[list[Message], list[Compaction]]:
        store = self._services.store
        tail, compactions = await asyncio.gather(store.tail(conversation_id, _TAIL), store.compactions(conversation_id))
        return tail, compactions

    async def _read(self, conversation_id: str) -> _Stored:
        store = self._services.store
        conversation, path, branches, records, compactions = await asyncio.gather(
            store.conversation(conversation_id),
            store.path(conversation_id),
            store.branches(conversation_id),
            store.requests(conversation_id),
            store.compactions(conversation_id),
        )
        tip = await store.tip_below(path[-1].id) if path else None
        return _Stored(conversation, path, branches, records, compactions, tip)

    def _show_end(self, conversation_id: str, tail: list[Message], compactions: list[Compaction]) -> None:
        if not self.complete and not self._state.value.answering:
            self._path.messages = tail
            self._path.compaction = memo_in_use(tail, compactions)
            self._path.show()
        self.read(conversation_id)

    def _show(self, number: int, stored: _Stored) -> None:
        if self._state.value.answering or number != self._readings:
            return
        self.complete = True
        self._path.messages = stored.path
        self.compactions = stored.compactions
        self._path.compaction = memo_in_use(stored.path, stored.compactions)
        self._path.branches = {
            branch.message_id: (branch.siblings.index(branch.message_id) + 1, len(branch.siblings))
            for branch in stored.branches
        }
        self.history = behind(stored.path, of_turns(stored.records))
        self.sent, self.turns = stored.records, frozenset(message.id for message in stored.path)
        self.goes_on = bool(stored.path) and stored.path[-1].id != stored.tip_id
        self._path.output_tokens = {
            record.id: record.usage.output
            for record in self.history
            if record.usage is not None and record.usage.output is not None
        }
        self._path.refusals = {record.id: record.refusal for record in self.history if record.refusal is not None}
        self._path.simulated = stored.conversation.simulated
        if stored.conversation.title != self.title:
            self.title = stored.conversation.title
            self.titleChanged.emit(self.title)
        self._state.change(can_continue=is_unfinished(stored.path))
        self._path.show()
        self.historyChanged.emit()
        self.shown.emit()
        self._read_measured()

    def _read_measured(self) -> None:
        last = self.history[-1].id if self.history else None
        if last == self._measured_id:
            return
        if last is None:
            self._measure(None, None)
            return
        self._background.run(self._services.context.past(last), self._show_measured, self.failed.emit)

    def _show_measured(self, past: PastRequest) -> None:
        # Meanwhile a turn may run, or another version may be shown.
        if not self._state.value.answering and self.history and self.history[-1].id == past.record.id:
            self._measure(past.record.id, past.budget)

    def _measure(self, request_id: str | None, budget: Budget | None) -> None:
        self._measured_id, self.measured = request_id, budget
        self.measuredChanged.emit(budget)


def behind(path: list[Message], records: list[RequestRecord]) -> list[RequestRecord]:
    """The requests whose turn is on the path; of a turn answered more than once only those of the answer shown."""
    turns = {message.id for message in path}
    replies = {message.request_id for message in path if message.request_id}
    answered = {record.turn_id for record in records if record.id in replies}
    if path and path[-1].role is Role.USER:
        # The last turn got no answer in the end: what was tried last belongs to it.
        answered.discard(_turn_of(path))
    return [
        record
        for record in records
        if record.turn_id in turns and (record.id in replies or record.turn_id not in answered)
    ]


def _turn_of(path: list[Message]) -> str:
    return next((message.id for message in reversed(path) if message.opens_turn), "")
