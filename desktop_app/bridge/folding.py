"""Follows the folding of one conversation: reads when it is due and what could be folded, takes what one tells.

Signals:
    noticed(Notice): a folding came to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.bridge.shown_folding import (
    Folded,
    FoldOffer,
    FoldState,
    RunningFold,
    ShownFolding,
    folded_of,
    turns_of,
)
from desktop_app.bridge.shown_path import ShownPath
from desktop_app.core import turn_events as events
from desktop_app.core.compaction.compaction import Compaction
from desktop_app.core.errors import AppError, MemoUnusable
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.all_services import Services
from desktop_app.services.compaction import FoldPlan
from desktop_app.services.compaction import FoldState as Measured

_GATHER_MS = 33


class Folding(QObject):
    """Reads off the GUI thread; of several readings the last one holds."""

    noticed = Signal(object)

    def __init__(
        self,
        services: Services,
        background: Background,
        path: ShownPath,
        shown: ShownFolding,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._services = services
        self._background = background
        self._path = path
        self._shown = shown
        self._readings = self._plans = 0
        self._records: Sequence[RequestRecord] = ()
        self._pieces: list[str] = []
        self._gather = QTimer(self)
        self._gather.setSingleShot(True)
        self._gather.setInterval(_GATHER_MS)
        self._gather.timeout.connect(self._pass_on)

    # -- what is stored

    def show(self, compactions: Sequence[Compaction], records: Sequence[RequestRecord]) -> None:
        """The path was read again, with what was ever folded of the conversation and its requests."""
        self._records = records
        self._shown.path = self._path.messages
        self._shown.show(log=tuple(compactions), folded=self._folded())

    def read(self, conversation_id: str | None) -> None:
        """Asks anew when folding is due; what could be folded is to be asked for again."""
        self._readings += 1
        self._plans += 1
        number = self._readings
        self._shown.show(offer=None, refused=None, planning=False)
        if conversation_id is not None:
            state = self._services.compaction.state(conversation_id)
            self._background.run(state, lambda found: self._show_state(number, found), _ignore)

    def plan(self, conversation_id: str) -> None:
        """Asks what could be folded now."""
        self._plans += 1
        number = self._plans
        self._shown.show(planning=True)
        plan = self._services.compaction.plan(conversation_id)
        self._background.run(
            plan,
            lambda found: self._show_plan(number, found),
            lambda error: self._show_refused(number, error),
        )

    def stop(self) -> None:
        """Passes nothing on any more."""
        self._gather.stop()

    def _show_state(self, number: int, found: Measured) -> None:
        if number == self._readings:
            automatic = self._services.settings.profile.fold_automatically
            self._shown.show(state=FoldState(found.threshold, found.used, found.due, automatic))

    def _show_plan(self, number: int, plan: FoldPlan) -> None:
        if number == self._plans:
            turns = turns_of(self._path.messages, frozenset(plan.message_ids))
            offer = FoldOffer(len(plan.message_ids), turns, plan.kept_tokens, plan.before, plan.after)
            self._shown.show(offer=offer, refused=None, planning=False)

    def _show_refused(self, number: int, error: AppError) -> None:
        if number == self._plans:
            self._shown.show(offer=None, refused=error, planning=False)

    # -- what a folding tells

    def take(self, event: events.TurnEvent) -> None:
        """An event of a folding, on the GUI thread."""
        match event:
            case events.FoldingStarted(_, _, message_ids, before, cause, attempt):
                self._forget_memo()
                ids = frozenset(message_ids)
                self._path.mark_folding(ids)
                running = RunningFold(message_ids, turns_of(self._path.messages, ids), before, cause, attempt)
                self._shown.show(running=running, failed=None, memo="")
            case events.MemoArrived(text=text):
                self._pieces.append(text)
                if not self._gather.isActive():
                    self._gather.start()
            case events.RetryScheduled():
                self._forget_memo()  # another attempt begins from its first word
                self._shown.show(memo="")
            case events.FoldingDone(compaction=compaction):
                self._pass_on()
                self._path.fold(compaction)
                self.end()
                self._shown.path = self._path.messages
                self._shown.show(log=(*self._shown.log, compaction), folded=self._folded())
            case events.FoldingFailed(error=error):
                self._fail(error)
            case _:
                self.end()

    def end(self) -> None:
        """Nothing is being folded any more."""
        self._forget_memo()
        self._path.mark_folding(frozenset())
        self._shown.show(running=None, memo="")

    def _fail(self, error: AppError) -> None:
        self.end()
        notice = Notice("compaction.failed", level=Level.WARNING, details=error.details, cause=error)
        if isinstance(error, MemoUnusable):  # its own sentence says all of it
            notice = replace(notice, message_id=error.message_id, params=dict(error.params), cause=None)
        self._shown.show(failed=notice)
        self.noticed.emit(notice)

    def _folded(self) -> Folded | None:
        return folded_of(self._path.messages, self._path.compaction, self._records)

    def _forget_memo(self) -> None:
        self._gather.stop()
        self._pieces = []

    def _pass_on(self) -> None:
        text, self._pieces = "".join(self._pieces), []
        if text:
            self._shown.arrive(text)


def _ignore(_: object) -> None:
    """A reading that fails is no news: folding itself will tell."""
