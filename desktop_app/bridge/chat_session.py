"""One conversation as the window sees it: its entries, its state, its next and its past requests.

Signals:
    stateChanged(SessionState), textArrived(str, int, str), thinkingArrived(str, int, str),
    previewChanged(Budget | None), measuredChanged(Budget | None), historyChanged(),
    requestShown(ShownRequest | None), titleChanged(str), created(str), turnEnded(), failed(AppError),
    textReturned(str): a text that was never stored; it stands in `draft` again, in front of what is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.first_message import send_first
from desktop_app.bridge.loaded_conversation import LoadedConversation
from desktop_app.bridge.message_list import MessageListModel
from desktop_app.bridge.next_request import NextRequest
from desktop_app.bridge.session_state import Phase, SessionState, ShownRequest
from desktop_app.bridge.shown_path import ShownPath
from desktop_app.bridge.turn_reader import TurnReader
from desktop_app.bridge.turn_state import TurnState
from desktop_app.core import errors
from desktop_app.core.context_budget import Budget
from desktop_app.core.conversation import Conversation, Origin, is_blank, to_json
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.all_services import Services
from desktop_app.services.context_view import PastRequest
from desktop_app.services.turn import TurnControl


@dataclass(frozen=True, slots=True)
class _Start:
    """How a turn begins. `typed` is the person's own text; it is kept here until the store has it."""

    run: Callable[[str, TurnControl], Coroutine[Any, Any, None]]
    typed: str = ""


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
    textReturned = Signal(str)

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
        self.draft = ""
        self._closed = False
        self._turn: Future[None] | None = None
        self._control: TurnControl | None = None
        self._starting: _Start | None = None
        self._refused: _Start | None = None
        self._state = TurnState(self)
        self._path = ShownPath(self._state, self)
        self._reader = TurnReader(self._path, self._state, self)
        self._loaded = LoadedConversation(services, self._background, self._path, self._state, self)
        self._next = NextRequest(services.context, self._background, self)
        self._connect()
        if conversation_id is not None:
            self._loaded.read_end(conversation_id)

    def _connect(self) -> None:
        self._state.changed.connect(self.stateChanged)
        self._path.textArrived.connect(self.textArrived)
        self._path.thinkingArrived.connect(self.thinkingArrived)
        self._reader.created.connect(self._adopt)
        self._reader.opened.connect(self._on_opened)
        self._reader.budgetChanged.connect(self._loaded.take_budget)
        self._reader.budgetChanged.connect(self._look_at_first_request)
        self._loaded.titleChanged.connect(self.titleChanged)
        self._loaded.historyChanged.connect(self.historyChanged)
        self._loaded.measuredChanged.connect(self.measuredChanged)
        self._loaded.failed.connect(self.failed)
        self._loaded.shown.connect(self._look_ahead)
        self._next.changed.connect(self.previewChanged)

    # -- what it shows --------------------------------------------------------------------------

    @property
    def state(self) -> SessionState:
        """Where the turn stands."""
        return self._state.value

    @property
    def messages(self) -> MessageListModel:
        """The entries of the path in use."""
        return self._path.model

    @property
    def title(self) -> str:
        """The title, empty before it is known."""
        return self._loaded.title

    @property
    def simulated(self) -> bool:
        """Whether the simulated assistant answers here."""
        return self._path.simulated

    @property
    def loaded(self) -> bool:
        """Whether the whole conversation is shown."""
        return self.conversation_id is None or self._loaded.complete

    @property
    def history(self) -> list[RequestRecord]:
        """The requests behind the path in use, oldest first."""
        return self._loaded.history

    @property
    def measured(self) -> Budget | None:
        """The budget of the last request."""
        return self._loaded.measured

    @property
    def preview(self) -> Budget | None:
        """The budget of the request that would leave now."""
        return self._next.budget

    @property
    def holds_text(self) -> bool:
        """Whether something the person wrote is nowhere but here."""
        return not is_blank(self.draft) or self.state.queued is not None

    # -- what the person does -------------------------------------------------------------------

    def send(self, text: str) -> None:
        """Sends a message; while an answer is under way it waits, behind what waits already."""
        if is_blank(text):
            return
        if self.state.busy:
            queued = self.state.queued
            self._state.change(queued=f"{queued}\n\n{text}" if queued else text)
            return
        self._begin(_Start(lambda typed, control: self._send(typed, Origin.TYPED, control), text))

    def continue_reply(self) -> None:
        """Asks for the rest of a reply that a limit cut."""
        if not self.state.busy:
            text = self._continue_text()
            self._begin(_Start(lambda _, control: self._send(text, Origin.CONTINUE, control)))

    def edit(self, message_id: str, text: str) -> None:
        """Sends a changed text in place of an earlier message."""
        if not self.state.busy and not is_blank(text):
            chat, put = self._services.chat, self._reader.put
            self._begin(_Start(lambda typed, control: chat.edit(message_id, typed, put, control), text))

    def regenerate(self, message_id: str) -> None:
        """Answers the turn of a message again."""
        if not self.state.busy:
            chat, put = self._services.chat, self._reader.put
            self._begin(_Start(lambda _, control: chat.answer_again(message_id, put, control)))

    def retry_now(self) -> None:
        """Does not wait for the countdown; after a failure, tries again what failed.

        A text that was given back leaves the draft again, as the person may have changed it there.
        """
        if self.state.phase is Phase.RETRYING and self._control is not None:
            self._runner.call(self._control.hurry.set)
        elif self.state.busy:
            return
        elif self._refused is not None:
            start = self._refused
            if start.typed:
                text, self.draft = _taken_from(self.draft, start.typed)
                start = replace(start, typed=text)
            self._begin(start)
            self._look_ahead()
        elif last := next((message for message in reversed(self._path.messages) if message.opens_turn), None):
            self.regenerate(last.id)

    def drop_queued(self) -> str:
        """Takes the queued message back; returns its text."""
        text = self.state.queued or ""
        self._state.change(queued=None)
        return text

    def stop(self) -> None:
        """Stops the turn; what has arrived stays."""
        if self._turn is not None and self.state.busy:
            self._state.change(phase=Phase.STOPPING)
            self._turn.cancel()

    def choose_branch(self, message_id: str, step: int) -> None:
        """Shows another version of a message and what followed it."""
        if not self.state.busy:
            chosen = self._services.chat.choose_branch(message_id, step)
            self._background.run(chosen, lambda _: self.reload(), self.failed.emit)

    def preview_text(self, text: str) -> None:
        """The composer's text changed: the next request will be computed from it soon."""
        self.draft = text
        self._look_ahead()

    def show_request(self, request_id: str | None) -> None:
        """Shows a past request in the panel; None returns to the present."""
        if request_id is None:
            self.requestShown.emit(None)
            return
        self._background.run(self._services.context.past(request_id), self._show_past, self.failed.emit)

    def settings_changed(self) -> None:
        """Model, endpoint or instructions changed: the next request looks different."""
        self._next.forget_setting()
        self._look_ahead()

    def reload(self) -> None:
        """Reads the conversation again (another process wrote, or a turn ended)."""
        if self.conversation_id is not None:
            self._loaded.read(self.conversation_id)

    def close(self, *, closing_app: bool = False) -> None:
        """Ends what runs for this conversation; with `closing_app` the answer is marked interrupted.

        A closed session stays silent and is not opened again.
        """
        if self._closed:
            return
        self._closed = True
        self._background.close()
        self._reader.close()
        self._path.stop()
        self._next.stop()
        self._state.stop()
        if self._turn is not None and not self._turn.done():
            if self._control is not None:
                self._control.closing = closing_app
            self._turn.cancel()

    # -- turns ----------------------------------------------------------------------------------

    def _begin(self, start: _Start) -> None:
        self._control = control = TurnControl()
        self._starting, self._refused = start, None
        self._reader.begin()
        self._state.set(SessionState(Phase.PREPARING, queued=self.state.queued))
        self._turn = self._background.run(start.run(start.typed, control), ended=self._on_turn_ended)

    async def _send(self, text: str, origin: Origin, control: TurnControl) -> None:
        put = self._reader.put
        if self.conversation_id is None:
            await send_first(self._services, text, origin, put, control)
        else:
            await self._services.chat.send(self.conversation_id, text, put, control, origin)

    def _adopt(self, conversation: Conversation) -> None:
        self.conversation_id = conversation.id
        self._loaded.adopt(conversation)
        self.created.emit(conversation.id)

    def _on_opened(self) -> None:
        self._starting = None

    def _on_turn_ended(self, error: BaseException | None) -> None:
        self._reader.take()
        state = self._reader.outcome or _state_after(error)
        if self._reader.outcome is not None and isinstance(error, errors.AppError):
            self.failed.emit(error)  # the turn had ended before: what failed is what came after
        queued = self.state.queued
        start, self._starting = self._starting, None
        if start is not None:
            self._refused = start if state.phase is Phase.FAILED else None
            if start.typed:
                self._give_back(f"{start.typed}\n\n{queued}" if queued else start.typed)
                queued = None
        self._path.finish_arriving()
        self._next.forget_setting()
        follows = queued if state.phase is Phase.IDLE else None
        self._state.set(replace(state, queued=None if follows else queued))
        self._path.show()
        self.turnEnded.emit()
        self.reload()
        if follows:
            self.send(follows)

    def _give_back(self, text: str) -> None:
        self.draft = text if is_blank(self.draft) else f"{text}\n\n{self.draft}"
        self.textReturned.emit(text)
        self._look_ahead()

    def _look_at_first_request(self) -> None:
        """Before the first answer there is nothing to show but the request that was just sent."""
        if self.preview is None:
            self._look_ahead()

    def _look_ahead(self) -> None:
        if not self._closed:
            self._next.look(self.conversation_id, self._path.messages, self.draft)

    def _show_past(self, past: PastRequest) -> None:
        body = past.request.body()
        readable = json.dumps(body, ensure_ascii=False, indent=2)
        self.requestShown.emit(ShownRequest(past.record, past.budget, readable, to_json(body)))


def _state_after(error: BaseException | None) -> SessionState:
    """The state a turn leaves that ended without a word of its own."""
    if error is None or isinstance(error, CancelledError):
        return SessionState()
    if not isinstance(error, errors.AppError):
        error = errors.Unexpected(f"{type(error).__name__}: {error}")
    return SessionState(Phase.FAILED, error=error)


def _taken_from(draft: str, text: str) -> tuple[str, str]:
    """The text to send again and what stays in the draft; a text that was changed there goes as it is now."""
    if draft.startswith(f"{text}\n\n"):
        return text, draft[len(text) + 2 :]
    return (text if is_blank(draft) else draft), ""
