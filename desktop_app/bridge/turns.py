"""The turns and foldings of one conversation, one at a time: how they begin, are stopped and are tried again.

Signals:
    ended(): one is over and the state says how.
    follows(str, tuple): the text that waited, and its attachments, are to be sent now.
    returned(str, tuple): a text of the person that was never stored, and what was attached to it.
    failed(AppError): what went wrong behind the end of a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop_app.bridge.async_runner import AsyncRunner
from desktop_app.bridge.background import Background
from desktop_app.bridge.folding import Folding
from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.bridge.turn_reader import TurnReader
from desktop_app.bridge.turn_state import TurnState
from desktop_app.core import errors
from desktop_app.core.attachments import AttachedFile
from desktop_app.services.turn import TurnControl


@dataclass(frozen=True, slots=True)
class Start:
    """How a turn begins. `typed` and `files` are the person's own; they are kept here until the store has them.

    What only `folds` is no turn: there is no answer to wait for.
    """

    run: Callable[[str, TurnControl], Coroutine[Any, Any, None]]
    typed: str = ""
    folds: bool = False
    files: tuple[AttachedFile, ...] = ()


class Turns(QObject):
    """`refused` is what failed before anything of it was stored, until something else begins."""

    ended = Signal()
    follows = Signal(str, object)
    returned = Signal(str, object)
    failed = Signal(object)

    def __init__(
        self,
        runner: AsyncRunner,
        background: Background,
        state: TurnState,
        reader: TurnReader,
        folding: Folding,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._runner, self._background = runner, background
        self._state, self._reader, self._folding = state, reader, folding
        self._turn: Future[None] | None = None
        self._control: TurnControl | None = None
        self._starting: Start | None = None
        self._afterwards: Callable[[], None] | None = None
        self.refused: Start | None = None
        reader.opened.connect(self._on_opened)

    def begin(self, start: Start) -> None:
        """Begins a turn, or a folding; nothing else may be under way."""
        self._control = control = TurnControl()
        self._starting, self.refused = start, None
        now = self._state.value
        ends = SessionState(can_continue=now.can_continue) if start.folds else None
        self._reader.begin(ends)
        phase = Phase.FOLDING if start.folds else Phase.PREPARING
        self._state.set(replace(ends or SessionState(), phase=phase, queued=now.queued, queued_files=now.queued_files))
        self._turn = self._background.run(start.run(start.typed, control), ended=self._on_ended)

    def begin_free(self, start: Start) -> None:
        """The same as soon as it may, see `act_free`."""
        self.act_free(lambda: self.begin(start))

    def act_free(self, act: Callable[[], None]) -> None:
        """Acts, once a folding that runs is called off; not while an answer is under way."""
        if self._state.value.phase is Phase.FOLDING:
            self._afterwards = act
            self.stop()
        elif not self._state.value.busy:
            act()

    def hurry(self) -> bool:
        """Makes the next attempt at once; False where none is waited for."""
        if self._control is None or self._state.value.phase not in (Phase.RETRYING, Phase.FOLDING):
            return False
        self._runner.call(self._control.hurry.set)
        return True

    def stop(self) -> None:
        """Stops the turn, what has arrived stays; a folding is called off alone."""
        if self._turn is None or not self._state.value.busy:
            return
        if self._state.value.phase is Phase.FOLDING:
            self._state.change(ending=True)
        else:
            self._state.change(phase=Phase.STOPPING)
        self._turn.cancel()

    def close(self, *, closing_app: bool) -> None:
        """Ends what runs; with `closing_app` the answer is marked interrupted."""
        if self._turn is not None and not self._turn.done():
            if self._control is not None:
                self._control.closing = closing_app
            self._turn.cancel()

    def _on_opened(self) -> None:
        self._starting = None

    def _on_ended(self, error: BaseException | None) -> None:
        self._reader.take()
        self._folding.end()
        state = self._reader.outcome or _state_after(error)
        if self._reader.outcome is not None and isinstance(error, errors.AppError):
            self.failed.emit(error)  # the turn had ended before: what failed is what came after
        queued, files = self._state.value.queued, self._state.value.queued_files
        start, self._starting = self._starting, None
        if start is not None:
            self.refused = start if state.phase is Phase.FAILED else None
            if start.typed or start.files:
                self.returned.emit("\n\n".join(filter(None, (start.typed, queued))), (*start.files, *files))
                queued, files = None, ()
        afterwards, self._afterwards = self._afterwards, None
        follows = queued is not None and state.phase is Phase.IDLE and afterwards is None
        waiting = (None, ()) if follows else (queued, files)
        self._state.set(replace(state, queued=waiting[0], queued_files=waiting[1]))
        self.ended.emit()
        if afterwards is not None:
            afterwards()
        elif follows:
            self.follows.emit(queued, files)


def _state_after(error: BaseException | None) -> SessionState:
    """The state a turn leaves that ended without a word of its own."""
    if error is None or isinstance(error, CancelledError):
        return SessionState()
    if not isinstance(error, errors.AppError):
        error = errors.Unexpected(f"{type(error).__name__}: {error}")
    return SessionState(Phase.FAILED, error=error)
