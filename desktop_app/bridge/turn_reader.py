"""Reads the events of a turn: they come on the loop thread, and path and state follow on the GUI thread.

Signals:
    created(Conversation): the conversation was stored with its first message.
    opened(): the person's message is stored.
    budgetChanged(str, Budget): the budget of a request, by the request's id.
    foldingStarted(): a summary is asked for; the answer before it is whole.
    noticed(Notice): something was left out of a request.
    learnt(MemoriesExtracted): an exchange was looked through for facts.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop_app.bridge.folding import Folding
from desktop_app.bridge.session_state import Level, Notice, Phase, SessionState
from desktop_app.bridge.shown_path import ShownPath
from desktop_app.bridge.turn_state import TurnState
from desktop_app.core import turn_events as events
from desktop_app.core.conversation import Conversation


class TurnReader(QObject):
    """One signal carries all events that gathered meanwhile, in their order.

    `outcome` is the state the turn ends in, None until it told its end. The turn counts as busy until
    its coroutine has returned; what is still told then is about folding.
    """

    created = Signal(object)
    opened = Signal()
    budgetChanged = Signal(str, object)
    foldingStarted = Signal()
    noticed = Signal(object)
    learnt = Signal(object)
    _gathered = Signal()

    def __init__(self, path: ShownPath, state: TurnState, folding: Folding, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path = path
        self._state = state
        self._folding = folding
        self.outcome: SessionState | None = None
        self._lock = threading.Lock()
        self._waiting: list[events.TurnEvent | Conversation] = []
        self._closed = False
        self._gathered.connect(self.take, Qt.ConnectionType.QueuedConnection)

    def begin(self, outcome: SessionState | None = None) -> None:
        """Another turn begins; a folding by hand ends in the `outcome` it began with."""
        self.outcome = outcome

    def put(self, event: events.TurnEvent | Conversation) -> None:
        """Takes an event on any thread."""
        with self._lock:
            if self._closed:
                return
            first = not self._waiting
            self._waiting.append(event)
            if first:
                self._gathered.emit()

    def close(self) -> None:
        """Reads nothing any more."""
        with self._lock:
            self._closed = True
            self._waiting = []

    @Slot()
    def take(self) -> None:
        """Reads what has gathered."""
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
                self.created.emit(event)
            case events.TurnOpened(_, _, message):
                self.opened.emit()
                self._path.open_turn(message)
            case events.ContextPrepared(request_id=request_id, budget=budget):
                self.budgetChanged.emit(request_id, budget)
            case events.BudgetChanged(request_id=request_id, budget=budget):
                self.budgetChanged.emit(request_id, budget)
            case events.Waiting():
                self._go_on(phase=Phase.WAITING, seconds=0.0, error=None)
            case events.ReplyStarted(conversation_id, _, message_id, model):
                self._path.start_reply(conversation_id, message_id, model)
                self._go_on(phase=Phase.STREAMING, error=None)
            case events.ToolCallStarted(name=name):
                self._go_on(phase=Phase.TOOL, tool=name)
            case events.MediaLeftOut(_, _, names):
                said: dict[str, str | int] = {"n": len(names), "names": ", ".join(names)}
                self.noticed.emit(Notice("attachments.left_out", said, Level.WARNING))
            case events.ThinkingDropped(_, _, count):
                self.noticed.emit(Notice("notices.thinking_dropped", {"n": count}))
            case events.NotesTold(_, turn_id, notes):
                self._path.tell(turn_id, notes)
            case events.RetryScheduled(_, _, seconds, attempt, most, error) if self.outcome is not None:
                self._folding.take(event)
                self._fold(seconds=seconds, attempt=attempt, most=most, error=error)
            case events.RetryScheduled(_, _, seconds, attempt, most, error):
                self._go_on(phase=Phase.RETRYING, seconds=seconds, attempt=attempt, most=most, error=error)
            case events.MessageSaved(_, _, message, _, refusal):
                self._path.finish_arriving()
                self._path.put(message, refusal)
            case events.TurnFinished(_, _, _, can_continue):
                self.outcome = SessionState(can_continue=can_continue)
            case events.TurnStopped():
                self.outcome = SessionState()
            case events.TurnFailed(_, _, error):
                self.outcome = SessionState(Phase.FAILED, error=error)
            case events.MemoriesExtracted():
                self.learnt.emit(event)
            case _ if self.outcome is None:
                self._take_room(event)
            case _:
                self._take_folding(event)

    def _take_folding(self, event: events.TurnEvent | Conversation) -> None:
        """A folding by hand, or behind a turn that is over."""
        match event:
            case events.FoldingStarted(message_ids=message_ids):
                self._path.finish_arriving()
                self._fold(folding=len(message_ids), seconds=0.0, attempt=0, error=None)
                self._folding.take(event)
                self.foldingStarted.emit()
            case events.MemoArrived():
                self._fold(seconds=0.0, attempt=0, error=None)
                self._folding.take(event)
            case events.FoldingDone() | events.FoldingStopped() | events.FoldingFailed():
                self._folding.take(event)

    def _take_room(self, event: events.TurnEvent | Conversation) -> None:
        """A folding inside a turn: what the person does meanwhile is as it is while an answer comes."""
        match event:
            case events.FoldingStarted(message_ids=message_ids):
                self._go_on(phase=Phase.MAKING_ROOM, folding=len(message_ids), seconds=0.0, error=None)
                self._folding.take(event)
            case events.MemoArrived():
                self._folding.take(event)
            case events.FoldingDone() | events.FoldingStopped() | events.FoldingFailed():
                self._folding.take(event)
                self._go_on(phase=Phase.PREPARING, folding=0)

    def _arrive(self, message_id: str, index: int, text: str, *, thinking: bool) -> None:
        if self._state.value.phase is Phase.TOOL:
            self._go_on(phase=Phase.STREAMING, tool="")
        self._path.arrive(message_id, index, text, thinking=thinking)

    def _fold(self, **changes: Any) -> None:
        """The turn has ended but for its folding; whoever stopped it in between means that."""
        now = self._state.value
        answered = now.answering
        if answered:
            ended = self.outcome or SessionState()
            ending = now.phase is Phase.STOPPING
            now = replace(ended, phase=Phase.FOLDING, queued=now.queued, queued_files=now.queued_files, ending=ending)
        self._state.set(replace(now, **changes))
        if answered:
            self._path.show()

    def _go_on(self, **changes: Any) -> None:
        if self._state.value.phase is not Phase.STOPPING:
            self._state.change(**changes)
