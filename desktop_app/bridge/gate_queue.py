"""What the assistant wants to keep, put before the person one question after the other.

Signals:
    frontChanged(): the question to be shown is another one, or there is none any more (`front`).
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import count

from PySide6.QtCore import QObject, Qt, Signal, Slot

from desktop_app.core.facts import as_typed_over, clean_value
from desktop_app.core.gate import DENIED, Answer, Proposal, Verdict


@dataclass(frozen=True, slots=True)
class Question:
    """One open proposal. `number` is its own: an endpoint may give the id of a call twice."""

    number: int
    proposal: Proposal
    title: str = ""
    """The title of the conversation that asks; empty where it has none."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    loop: asyncio.AbstractEventLoop
    answer: asyncio.Future[Verdict]

    def settle(self, verdict: Verdict) -> None:
        """Answers, from any thread; what was called off or answered meanwhile stays so."""

        def take() -> None:
            if not self.answer.done():
                self.answer.set_result(verdict)

        with suppress(RuntimeError):  # the loop ended, and with it whoever asked
            self.loop.call_soon_threadsafe(take)


class GateQueue(QObject):
    """Fulfils the port Approver: `ask` on the loop thread, everything else on the GUI thread.

    Each answer goes to the very call that asked. A call that is cancelled (the turn was stopped, its
    conversation deleted) takes its question away; `close` denies what is open and all that comes later.
    """

    frontChanged = Signal()
    _came = Signal(object)
    _left = Signal(int)

    def __init__(self, title_of: Callable[[str], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._title_of = title_of
        self._numbers = count(1)
        self._lock = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._closed = False
        self._open: list[Question] = []
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)
        self._left.connect(self._drop, Qt.ConnectionType.QueuedConnection)

    @property
    def front(self) -> Question | None:
        """The question to be shown."""
        return self._open[0] if self._open else None

    async def ask(self, proposal: Proposal) -> Verdict:
        """Puts the question and waits for its answer, as long as the person takes."""
        loop = asyncio.get_running_loop()
        waiting = _Waiting(loop, loop.create_future())
        with self._lock:
            if self._closed:
                return DENIED
            number = next(self._numbers)
            self._waiting[number] = waiting
        try:
            self._came.emit(Question(number, proposal))
            return await waiting.answer
        finally:
            with self._lock:
                self._waiting.pop(number, None)
            with suppress(RuntimeError):  # the queue went with its window
                self._left.emit(number)

    def allow(self, number: int, value: str | None = None) -> None:
        """Yes to this question, with exactly the text `value` (white space around it counts nowhere) where the person
        edited it; raises BadInput."""
        question = next((one for one in self._open if one.number == number), None)
        if question is None:
            return
        draft = question.proposal.draft
        if value is not None:
            draft = as_typed_over(draft, clean_value(value))
        self._answer(number, Verdict(Answer.ALLOWED, draft))

    def deny(self, number: int) -> None:
        """No to this question."""
        self._answer(number, DENIED)

    def close(self) -> None:
        """Denies what is open and whatever is asked from now on."""
        with self._lock:
            self._closed = True
            waiting = list(self._waiting.values())
        for one in waiting:
            one.settle(DENIED)
        self._show([])

    def _answer(self, number: int, verdict: Verdict) -> None:
        with self._lock:
            waiting = self._waiting.get(number)
        if waiting is not None:
            waiting.settle(verdict)
        self._drop(number)

    @Slot(object)
    def _take(self, question: Question) -> None:
        with self._lock:
            wanted = question.number in self._waiting and not self._closed
        if wanted:
            title = self._title_of(question.proposal.call.conversation_id)
            self._show([*self._open, replace(question, title=title)])

    @Slot(int)
    def _drop(self, number: int) -> None:
        self._show([one for one in self._open if one.number != number])

    def _show(self, questions: list[Question]) -> None:
        before, self._open = self.front, questions
        if self.front is not before:
            self.frontChanged.emit()
