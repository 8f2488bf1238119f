"""One conversation as the window sees it: its entries, its state, its next and its past requests.

Signals:
    stateChanged(SessionState), textArrived(str, int, str), thinkingArrived(str, int, str),
    previewChanged(Budget | None), measuredChanged(Budget | None), historyChanged(),
    requestShown(ShownRequest | None), titleChanged(str), created(str), turnEnded().
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Qt, QTimer, Signal, Slot

from desktop_app.bridge.arriving_text import ArrivingText
from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.entries import entries_of
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.next_request import NextRequest
from desktop_app.bridge.session_state import Phase, SessionState, ShownRequest
from desktop_app.core import turn_events as events
from desktop_app.core.context import CUT_REASONS, refused_messages
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Conversation, Message, MessageState, Origin, Role, is_blank, to_json
from desktop_app.core.errors import AppError
from desktop_app.core.ports import Branches
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.all_services import Services
from desktop_app.services.context_view import PastRequest
from desktop_app.services.turn import TurnControl

_TICK_MS = 200
_TAIL = 40
"""Messages shown before the whole conversation is read: two pages."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    conversation: Conversation
    path: list[Message]
    branches: list[Branches]
    records: list[RequestRecord]


class ChatSession(QObject):
    """Owns the turn of one conversation; other sessions stream beside it without touching it."""

    stateChanged = Signal(object)
    textArrived = Signal(str, int, str)
    thinkingArrived = Signal(str, int, str)
    previewChanged = Signal(object)
    measuredChanged = Signal(object)
    historyChanged = Signal()
    requestShown = Signal(object)
    titleChanged = Signal(str)
    created = Signal(str)
    turnEnded = Signal()
    failed = Signal(object)
    _eventsWaiting = Signal()

    def __init__(
        self,
        services: Services,
        runner: AsyncRunner,
        conversation_id: str | None,
        continue_text: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._continue_text = continue_text
        self._background = Background(runner, self)
        self._runner = runner
        self.conversation_id = conversation_id
        self.title = ""
        self.simulated = False
        self.draft = ""
        self.messages = MessageListModel(self)
        self.state = SessionState()
        self.measured: Budget | None = None
        self.history: list[RequestRecord] = []
        self.loaded = conversation_id is None
        self._closed = False
        self._path: list[Message] = []
        self._branches: dict[str, tuple[int, int]] = {}
        self._turn: Future[None] | None = None
        self._control: TurnControl | None = None
        self._lock = threading.Lock()
        self._waiting: list[events.TurnEvent | Conversation] = []
        self._eventsWaiting.connect(self._take_events, Qt.ConnectionType.QueuedConnection)
        self._arriving = ArrivingText(self.messages, self)
        self._arriving.textArrived.connect(self.textArrived)
        self._arriving.thinkingArrived.connect(self.thinkingArrived)
        self._next = NextRequest(services.context, self._background, self)
        self._next.changed.connect(self.previewChanged)
        self._ticker = QTimer(self)
        self._ticker.setInterval(_TICK_MS)
        self._ticker.timeout.connect(self._tick)
        if conversation_id is not None:
            self._background.run(services.store.tail(conversation_id, _TAIL), self._show_tail, self._fail)

    # -- what the person does -------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Sends a message, or queues it while an answer is under way."""
        if is_blank(text):
            return
        if self.state.busy:
            self._set_state(replace(self.state, queued=text))
            return
        self._begin(lambda control: self._send(text, Origin.TYPED, control))

    def continue_reply(self) -> None:
        """Asks for the rest of a reply that a limit cut."""
        if not self.state.busy:
            text = self._continue_text()
            self._begin(lambda control: self._send(text, Origin.CONTINUE, control))

    def edit(self, message_id: str, text: str) -> None:
        """Sends a changed text in place of an earlier message."""
        if not self.state.busy and not is_blank(text):
            chat = self._services.chat
            self._begin(lambda control: chat.edit(message_id, text, self._emit, control))

    def regenerate(self, message_id: str) -> None:
        """Answers the turn of a message again."""
        if not self.state.busy:
            chat = self._services.chat
            self._begin(lambda control: chat.answer_again(message_id, self._emit, control))

    def retry_now(self) -> None:
        """Does not wait for the countdown; after a failure, answers the last message again."""
        if self.state.phase is Phase.RETRYING and self._control is not None:
            self._runner.call(self._control.hurry.set)
            return
        last = next((message for message in reversed(self._path) if message.opens_turn), None)
        if last is not None:
            self.regenerate(last.id)

    def drop_queued(self) -> str:
        """Takes the queued message back; returns its text."""
        text = self.state.queued or ""
        self._set_state(replace(self.state, queued=None))
        return text

    def stop(self) -> None:
        """Stops the turn; what has arrived stays."""
        if self._turn is not None and self.state.busy:
            self._set_state(replace(self.state, phase=Phase.STOPPING))
            self._turn.cancel()

    def choose_branch(self, message_id: str, step: int) -> None:
        """Shows another version of a message and what followed it."""
        if not self.state.busy:
            self._background.run(self._services.chat.choose_branch(message_id, step), self._after_branch, self._fail)

    def preview_text(self, text: str) -> None:
        """The composer's text changed: the next request will be computed from it soon."""
        self.draft = text
        self._look_ahead()

    @property
    def preview(self) -> Budget | None:
        """The budget of the request that would leave now."""
        return self._next.budget

    def _look_ahead(self) -> None:
        if not self._closed:
            self._next.look(self.conversation_id, self._path, self.draft)

    def show_request(self, request_id: str | None) -> None:
        """Shows a past request in the panel; None returns to the present."""
        if request_id is None:
            self.requestShown.emit(None)
            return
        self._background.run(self._services.context.past(request_id), self._show_past, self._fail)

    def settings_changed(self) -> None:
        """Model, endpoint or instructions changed: the next request looks different."""
        self._next.forget_setting()
        self._look_ahead()

    def reload(self) -> None:
        """Reads the conversation again (another process wrote, or a turn ended)."""
        if self.conversation_id is not None:
            self._background.run(self._load(self.conversation_id), self._show_loaded, self._fail)

    def close(self, *, closing_app: bool = False) -> None:
        """Ends what runs for this conversation; with `closing_app` the answer is marked interrupted.

        A closed session stays silent and is not opened again.
        """
        if self._closed:
            return
        self._closed = True
        self._background.close()
        self._eventsWaiting.disconnect(self._take_events)
        self._arriving.stop()
        self._next.stop()
        self._ticker.stop()
        if self._turn is not None and not self._turn.done():
            if self._control is not None:
                self._control.closing = closing_app
            self._turn.cancel()

    # -- turns ----------------------------------------------------------------------------------

    def _begin(self, run: Callable[[TurnControl], Coroutine[Any, Any, None]]) -> None:
        self._control = control = TurnControl()
        self._set_state(SessionState(Phase.PREPARING))
        self._ticker.start()
        self._turn = self._background.run(run(control), self._turn_returned, self._turn_refused)

    async def _send(self, text: str, origin: Origin, control: TurnControl) -> None:
        if self.conversation_id is None:
            conversation = await self._services.chat.new_conversation(text)
            self.conversation_id = conversation.id
            self._put(conversation)
        await self._services.chat.send(self.conversation_id, text, self._emit, control, origin)

    def _emit(self, event: events.TurnEvent) -> None:
        """Called on the loop thread for each event; one signal carries all that gathered meanwhile."""
        self._put(event)

    def _put(self, event: events.TurnEvent | Conversation) -> None:
        with self._lock:
            first = not self._waiting
            self._waiting.append(event)
        if first:
            self._eventsWaiting.emit()

    @Slot()
    def _take_events(self) -> None:
        with self._lock:
            waiting, self._waiting = self._waiting, []
        for event in waiting:
            self._take(event)

    def _take(self, event: events.TurnEvent | Conversation) -> None:  # one arm for each kind of event
        match event:
            case events.TextArrived(_, _, message_id, index, text):
                self._arrive(message_id, index, text, thinking=False)
            case events.ThinkingArrived(_, _, message_id, index, text):
                self._arrive(message_id, index, text, thinking=True)
            case Conversation():
                self._adopt(event)
            case events.TurnOpened(_, _, message):
                self._open_turn(message)
            case events.ContextPrepared(budget=budget) | events.BudgetChanged(budget=budget):
                self.measured = budget
                self.measuredChanged.emit(budget)
            case events.Waiting():
                self._set_state(replace(self.state, phase=Phase.WAITING, seconds=0.0, error=None))
            case events.ReplyStarted(conversation_id, _, message_id, model):
                self._start_reply(conversation_id, message_id, model)
            case events.ToolCallStarted(name=name):
                self._set_state(replace(self.state, phase=Phase.TOOL, tool=name))
            case events.RetryScheduled(_, _, seconds, attempt, most, error):
                self._set_state(
                    replace(self.state, phase=Phase.RETRYING, seconds=seconds, attempt=attempt, most=most, error=error)
                )
            case events.MessageSaved(_, _, message):
                self._arriving.finish()
                self._put_in_path(message)
            case events.TurnFinished(_, _, _, can_continue):
                self._end_turn(SessionState(can_continue=can_continue, queued=self.state.queued))
            case events.TurnStopped():
                self._end_turn(SessionState(queued=self.state.queued))
            case events.TurnFailed(_, _, error):
                self._end_turn(SessionState(Phase.FAILED, error=error, queued=self.state.queued))
            case _:
                pass

    def _adopt(self, conversation: Conversation) -> None:
        self.title, self.simulated = conversation.title, conversation.simulated
        self.created.emit(conversation.id)
        self.titleChanged.emit(self.title)

    def _open_turn(self, message: Message) -> None:
        ids = [known.id for known in self._path]
        if message.id in ids:
            self._path = self._path[: ids.index(message.id) + 1]
        else:
            keep = ids.index(message.parent_id) + 1 if message.parent_id in ids else 0
            self._path = [*self._path[:keep], message]
        self._show_path()

    def _start_reply(self, conversation_id: str, message_id: str, model: str) -> None:
        parent = self._path[-1].id if self._path else None
        streaming = Message(
            message_id,
            conversation_id,
            parent,
            Role.ASSISTANT,
            (),
            Origin.REPLY,
            MessageState.STREAMING,
            model=model,
        )
        self._arriving.begin()
        self._put_in_path(streaming)
        self._set_state(replace(self.state, phase=Phase.STREAMING, error=None))

    def _put_in_path(self, message: Message) -> None:
        for place, known in enumerate(self._path):
            if known.id == message.id:
                self._path[place] = replace(message, created_at=message.created_at or known.created_at)
                break
        else:
            self._path.append(message)
        self._show_path()

    def _end_turn(self, state: SessionState) -> None:
        self._arriving.finish()
        self._ticker.stop()
        self._next.forget_setting()
        queued = state.queued if state.phase is Phase.IDLE else None
        self._set_state(replace(state, queued=None) if queued else state)
        self.turnEnded.emit()
        self.reload()
        if queued:
            self.send(queued)

    def _turn_returned(self, _: None) -> None:
        if self.state.busy:
            # Nothing was told of an end: the turn was refused before it began to speak.
            self._take_events()

    def _turn_refused(self, error: AppError) -> None:
        self._end_turn(SessionState(Phase.FAILED, error=error, queued=self.state.queued))

    def _arrive(self, message_id: str, index: int, text: str, *, thinking: bool) -> None:
        if self.state.phase is Phase.TOOL:
            self._set_state(replace(self.state, phase=Phase.STREAMING, tool=""))
        self._arriving.put(message_id, index, text, thinking=thinking)

    # -- state and content ----------------------------------------------------------------------

    def _set_state(self, state: SessionState) -> None:
        if state != self.state:
            self.state = state
            self.stateChanged.emit(state)

    def _tick(self) -> None:
        step = _TICK_MS / 1000
        if self.state.phase is Phase.RETRYING:
            self._set_state(replace(self.state, seconds=max(0.0, self.state.seconds - step)))
        elif self.state.phase is Phase.WAITING:
            self._set_state(replace(self.state, seconds=self.state.seconds + step))

    def _fail(self, error: AppError) -> None:
        self.failed.emit(error)

    async def _load(self, conversation_id: str) -> _Loaded:
        store = self._services.store
        conversation, path, branches, records = await asyncio.gather(
            store.conversation(conversation_id),
            store.path(conversation_id),
            store.branches(conversation_id),
            store.requests(conversation_id),
        )
        return _Loaded(conversation, path, branches, records)

    def _show_tail(self, tail: list[Message]) -> None:
        """The end of the conversation is on the screen before the rest is read."""
        if not self.loaded:
            self._path = tail
            self._show_path()
        self.reload()

    def _show_loaded(self, loaded: _Loaded) -> None:
        if self.state.busy:
            return  # the running turn knows better
        self.loaded = True
        self._path = loaded.path
        self._branches = {
            branch.message_id: (branch.siblings.index(branch.message_id) + 1, len(branch.siblings))
            for branch in loaded.branches
        }
        # The requests of other branches stay in the store; the panel follows the path in use.
        on_path = {message.id for message in loaded.path}
        self.history = [record for record in loaded.records if record.turn_id in on_path]
        self.simulated = loaded.conversation.simulated
        if loaded.conversation.title != self.title:
            self.title = loaded.conversation.title
            self.titleChanged.emit(self.title)
        self._show_path()
        last = self._path[-1] if self._path else None
        can_continue = last is not None and last.stop_reason in CUT_REASONS
        if self.state.phase is Phase.IDLE:
            self._set_state(replace(self.state, can_continue=can_continue))
        self.historyChanged.emit()
        self._look_ahead()
        if self.measured is None and self.history:
            self._background.run(self._services.context.past(self.history[-1].id), self._show_measured, self._fail)

    def _show_measured(self, past: PastRequest) -> None:
        if self.measured is None:
            self.measured = past.budget
            self.measuredChanged.emit(past.budget)

    def _show_path(self) -> None:
        output = {
            record.id: record.usage.output
            for record in self.history
            if record.usage is not None and record.usage.output is not None
        }
        entries = entries_of(
            self._path,
            simulated=self.simulated,
            left_out=frozenset(refused_messages(self._path)),
            branches=self._branches,
            output_tokens=output,
        )
        if entries and entries[-1].state is MessageState.STREAMING and self.state.busy:
            entries[-1] = replace(entries[-1], parts=self._arriving.parts)
        self.messages.show(entries)

    def _after_branch(self, _: None) -> None:
        self.reload()

    def _show_past(self, past: PastRequest) -> None:
        body = past.request.body()
        readable = json.dumps(body, ensure_ascii=False, indent=2)
        self.requestShown.emit(ShownRequest(past.record, past.budget, readable, to_json(body)))
