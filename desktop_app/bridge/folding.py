"""Reads what the store holds of a conversation's compactions, and follows one that runs.

Signals:
    noticed(Notice): a compaction came to nothing, happened by itself, or waits to be looked at.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, QTimer, Signal

from desktop_app.bridge.background import Background
from desktop_app.bridge.fold_notice import folded_notice, proposed_notice
from desktop_app.bridge.session_state import Level, Notice
from desktop_app.bridge.shown_folding import FoldState, RunningFold, ShownFolding, folded_of, turns_of
from desktop_app.bridge.shown_path import ShownPath
from desktop_app.core import turn_events as events
from desktop_app.core.compaction.compaction import Compaction, CompactionCause, CompactionState, Strategy
from desktop_app.core.compaction.plan import CompactionLine, FoldPlan
from desktop_app.core.compaction.plan import FoldState as Measured
from desktop_app.core.errors import AppError, MemoUnusable
from desktop_app.core.request_log import RequestRecord
from desktop_app.services.all_services import Services

_GATHER_MS = 33


@dataclass(frozen=True, slots=True)
class _Reading:
    state: Measured
    log: list[CompactionLine]
    strategies: list[tuple[Strategy, str]]


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
        self._proposal: Compaction | None = None
        self._previews = self._logged = False
        self._pieces: list[str] = []
        self._gather = QTimer(self)
        self._gather.setSingleShot(True)
        self._gather.setInterval(_GATHER_MS)
        self._gather.timeout.connect(self._pass_on)

    # -- what is stored

    def show(self, compactions: Sequence[Compaction], records: Sequence[RequestRecord]) -> None:
        """The path was read again, with what was ever compacted of the conversation and its requests."""
        self._records = records
        self._shown.path = self._path.messages
        proposals = [one for one in compactions if one.state is CompactionState.PROPOSED]
        ids = {message.id for message in self._path.messages}
        self._proposal = next((one for one in reversed(proposals) if one.until_message_id in ids), None)
        self._logged = bool(compactions)
        self._show_folded()

    def read(self, conversation_id: str | None) -> None:
        """Asks anew when folding is due and what it came to so far; what could be folded is to be asked for again."""
        self._readings += 1
        self._plans += 1
        number = self._readings
        self._shown.show(plan=None, refused=None, planning=False)
        self.preview(self._previews)
        if conversation_id is not None:
            self._background.run(self._read(conversation_id), lambda found: self._show_reading(number, found), _ignore)

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

    def preview(self, shown: bool) -> None:
        """Marks in the chat what would fold now, or no longer does; what a proposal folds is marked until it is
        settled."""
        self._previews = shown
        proposed, plan = self._shown.proposed, self._shown.plan
        folded = self._shown.folded.message_ids if self._shown.folded is not None else frozenset()
        if proposed is not None:
            self._path.mark_planned(proposed.message_ids - folded)
        else:
            self._path.mark_planned(frozenset(plan.message_ids) if shown and plan is not None else frozenset())

    def stop(self) -> None:
        """Passes nothing on any more."""
        self._gather.stop()

    async def _read(self, conversation_id: str) -> _Reading:
        compaction = self._services.compaction
        state, strategies = await asyncio.gather(compaction.state(conversation_id), compaction.strategies())
        # All requests are read for the log: a conversation of which nothing was ever compacted is spared that.
        log = await self._services.review.log(conversation_id) if self._logged else []
        return _Reading(state, log, strategies)

    def _show_reading(self, number: int, found: _Reading) -> None:
        if number != self._readings:
            return
        profile, measured = self._services.settings.profile, found.state
        state = FoldState(
            measured.threshold,
            measured.used,
            measured.due,
            profile.fold_automatically,
            profile.fold_review,
            measured.rests_until,
            measured.stuck,
            Strategy(profile.fold_strategy),
        )
        self._shown.show(state=state, log=tuple(found.log), strategies=tuple(found.strategies))

    def _show_plan(self, number: int, plan: FoldPlan) -> None:
        if number == self._plans:
            self._shown.show(plan=plan, refused=None, planning=False)
            self.preview(self._previews)

    def _show_refused(self, number: int, error: AppError) -> None:
        if number == self._plans:
            self._shown.show(plan=None, refused=error, planning=False)

    # -- what a folding tells

    def take(self, event: events.TurnEvent) -> None:
        """An event of a folding, on the GUI thread."""
        match event:
            case events.FoldingStarted():
                self._begin(event)
            case events.MemoArrived(text=text):
                self._pieces.append(text)
                if not self._gather.isActive():
                    self._gather.start()
            case events.RetryScheduled():
                self._forget_text()  # another attempt begins from its first word
                self._shown.show(arriving="")
            case events.FoldingDone(compaction=compaction):
                self._pass_on()
                self._finish(compaction)
            case events.FoldingFailed(error=error):
                self._fail(error)
            case _:
                self.end()

    def end(self) -> None:
        """Nothing is being folded any more."""
        self._forget_text()
        self._path.mark_folding(frozenset())
        self._shown.show(running=None, arriving="")

    def _begin(self, event: events.FoldingStarted) -> None:
        self._forget_text()
        ids = frozenset(event.message_ids)
        self._path.mark_folding(ids)
        again = self._shown.running
        running = RunningFold(
            event.message_ids,
            turns_of(self._path.messages, ids),
            event.before,
            event.cause,
            event.attempt,
            event.strategy,
            again.began if again is not None and event.attempt > 1 else time.monotonic(),
        )
        self._shown.show(running=running, failed=None, arriving="")

    def _finish(self, compaction: Compaction) -> None:
        if compaction.state is CompactionState.PROPOSED:
            self._proposal = compaction
        else:
            self._proposal = None
            self._path.fold(compaction)
        self.end()
        self._shown.path = self._path.messages
        self._show_folded()
        if compaction.cause is CompactionCause.AUTOMATIC:
            self._tell(compaction)

    def _tell(self, compaction: Compaction) -> None:
        """What happened without being asked for is told; one that is in use, with what was lost."""
        if compaction.state is CompactionState.PROPOSED:
            self.noticed.emit(proposed_notice(compaction))
            return
        self._background.run(
            self._services.review.check(compaction.id),
            lambda check: self.noticed.emit(folded_notice(compaction, check)),
            lambda _: self.noticed.emit(folded_notice(compaction, None)),
        )

    def _fail(self, error: AppError) -> None:
        self.end()
        notice = Notice("compaction.failed", level=Level.WARNING, details=error.details, cause=error)
        if isinstance(error, MemoUnusable):  # its own sentence says all of it
            notice = replace(notice, message_id=error.message_id, params=dict(error.params), cause=None)
        self._shown.show(failed=notice)
        self.noticed.emit(notice)

    def _show_folded(self) -> None:
        folded, proposed = (
            folded_of(self._path.messages, one, self._records) for one in (self._path.compaction, self._proposal)
        )
        self._shown.show(folded=folded, proposed=proposed)
        self.preview(self._previews)

    def _forget_text(self) -> None:
        self._gather.stop()
        self._pieces = []

    def _pass_on(self) -> None:
        text, self._pieces = "".join(self._pieces), []
        if text:
            self._shown.arrive(text)


def _ignore(_: object) -> None:
    """A reading that fails is no news: folding itself will tell."""
