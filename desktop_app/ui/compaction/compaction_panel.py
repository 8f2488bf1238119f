"""The Compaction panel: when it is due, what it would do, one that runs, a proposal, the summary in use, the log."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import SessionState
from desktop_app.bridge.summary_review import SummaryReview
from desktop_app.core.compaction.plan import FoldOrder
from desktop_app.ui.compaction.act_bar import ActBar
from desktop_app.ui.compaction.archive_section import ArchiveSection
from desktop_app.ui.compaction.due_section import DueSection
from desktop_app.ui.compaction.fold_form import FoldForm
from desktop_app.ui.compaction.fold_log import FoldLog
from desktop_app.ui.compaction.proposal_section import ProposalSection
from desktop_app.ui.compaction.running_section import RunningSection
from desktop_app.ui.compaction.summary_section import SummarySection
from desktop_app.ui.language import Language
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.notice_bar import notice_text
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel

if TYPE_CHECKING:
    from desktop_app.bridge.chat_session import ChatSession
    from desktop_app.bridge.memory_session import MemorySession


class CompactionPanel(QWidget):
    """Shows what becomes of the past of one conversation.

    Signals:
        messageChosen(id): a message was chosen.
        writeAsked: the empty panel's act, to write a message.
        factChosen(id): a fact that was found is to be shown.
        strategyChosen(Strategy): another strategy is to hold for the profile.
    """

    messageChosen = Signal(str)
    factChosen = Signal(str)
    writeAsked = Signal()
    strategyChosen = Signal(object)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._session: ChatSession | None = None
        self._state = SessionState()
        self.due = DueSection(theme, language)
        self.running = RunningSection(theme, language)
        self.proposal = ProposalSection(theme, language)
        self.failed = PlainLabel(tone="warning", wrap=True)
        self.teach = PlainLabel(tone="muted", wrap=True)
        self.summary = SummarySection(theme, language)
        self.form = FoldForm(theme, language)
        self.log = FoldLog(theme, language)
        self.archive = ArchiveSection(theme, language)
        self.acts = ActBar(language)
        self.empty = MessagePage(theme, size=13)
        self._arrange()
        self._connect()
        self._say()
        self._show_all()

    def set_session(self, session: ChatSession | None) -> None:
        """Shows another conversation, or nothing."""
        if self._session is not None:
            self._part(self._session)
        self.form.forget()
        self.log.forget()
        self._session = session
        self._state = session.state if session is not None else SessionState()
        self.summary.list.open(False)
        self.proposal.set_review(session.proposal if session is not None else None)
        self.summary.set_review(session.in_use if session is not None else None)
        self.archive.set_search(session.archive if session is not None else None)
        if session is not None:
            self._join(session)
        self._show_all()

    def set_memory(self, memory: MemorySession | None) -> None:
        """Where a value is kept that is to become a fact."""
        self.proposal.fact.set_memory(memory)
        self.summary.fact.set_memory(memory)

    def show_folded(self) -> None:
        """Leads to the summary and what it stands for, to the proposal, or to what is arriving."""
        place = self._front()
        if place is self.summary:
            self.summary.list.open()
            self.summary.card.memo.setFocus(Qt.FocusReason.OtherFocusReason)
        elif place is self.proposal:
            self.proposal.values.chips.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, self._scroll_to_front)  # once all of it has its height

    def showEvent(self, event: QShowEvent) -> None:
        """What could be folded, and what a summary holds, is found out only for who looks."""
        super().showEvent(event)
        self._show_all()

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.empty)
        body = QWidget()
        self._pages.addWidget(body)
        outer = QVBoxLayout(body)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        scroll = self._scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = self._page = QWidget()
        scroll.setWidget(page)
        self._hair = QFrame()
        self._hair.setProperty("role", "hair")
        self._hair.setFixedHeight(1)
        outer.addWidget(scroll, 1)
        outer.addWidget(self._hair)
        outer.addWidget(self.acts)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(18)
        for widget in (self.due, self.failed, self.running, self.proposal, self.teach, self.form, self.summary):
            layout.addWidget(widget)
        for part in (self.log, self.archive):
            layout.addWidget(part)
        layout.addStretch()
        self.setMinimumWidth(360)
        self._order_keys()

    def _order_keys(self) -> None:
        """Tab leads from the values to the summary and on to what can be done with it."""
        card, values, acts = self.proposal.card, self.proposal.values, self.acts
        stops = (values.chips, values.more, values.all_back, self.proposal.check, card.edit, card.copy)
        texts = (card.memo, card.editor)
        buttons = (acts.commit, acts.keep, acts.again, acts.edit, acts.cancel, acts.reject)
        for before, after in pairwise((*stops, *texts, *buttons)):
            QWidget.setTabOrder(before, after)

    def _connect(self) -> None:
        self.empty.acted.connect(self.writeAsked)
        self.running.stopAsked.connect(self._on_stop)
        self.form.foldAsked.connect(self._on_fold)
        self.form.previewAsked.connect(self._on_preview)
        self.form.strategyChosen.connect(self.strategyChosen)
        self.summary.undoAsked.connect(self._on_undo)
        self.log.undoAsked.connect(self._on_undo)
        for part in (self.summary, self.proposal, self.archive):
            part.messageChosen.connect(self.messageChosen)
        self.archive.factChosen.connect(self.factChosen)
        self.acts.committed.connect(self._on_commit)
        self.acts.againAsked.connect(self._on_again)
        self.acts.rejected.connect(self._on_reject)
        self.acts.editAsked.connect(self._on_edit)
        for signal in (self.acts.kept, self.proposal.card.saveAsked, self.summary.card.saveAsked):
            signal.connect(self._on_keep)
        self.acts.cancelled.connect(self._on_cancel)
        for card in (self.proposal.card, self.summary.card):
            card.left.connect(self._on_left)
        self._language.changed.connect(self._say)

    def _join(self, session: ChatSession) -> None:
        session.stateChanged.connect(self._on_state)
        session.folding.changed.connect(self._show_all)
        session.folding.textArrived.connect(self._on_text)
        session.proposal.changed.connect(self._show_all)
        session.in_use.changed.connect(self._show_all)

    def _part(self, session: ChatSession) -> None:
        session.stateChanged.disconnect(self._on_state)
        session.folding.changed.disconnect(self._show_all)
        session.folding.textArrived.disconnect(self._on_text)
        session.proposal.changed.disconnect(self._show_all)
        session.in_use.changed.disconnect(self._show_all)

    # -- what happens ---------------------------------------------------------------------------

    def _on_state(self, state: SessionState) -> None:
        was, self._state = self._state, state
        if (was.busy, was.phase, was.ending) != (state.busy, state.phase, state.ending):
            self._show_all()

    def _on_text(self, _text: str) -> None:
        self.running.show_text()

    def _on_stop(self) -> None:
        if self._session is not None:
            self._session.stop()

    def _on_fold(self, order: FoldOrder) -> None:
        if self._session is not None:
            self._session.fold(order)

    def _on_preview(self, shown: bool) -> None:
        if self._session is not None:
            self._session.preview_fold(shown)

    def _on_undo(self, compaction_id: str | None = None) -> None:
        if self._session is not None:
            self._session.undo_fold(compaction_id)

    def _on_commit(self) -> None:
        if self._session is not None:
            self._session.commit_fold()

    def _on_again(self) -> None:
        if self._session is not None:
            self._session.fold_again()

    def _on_reject(self) -> None:
        if self._session is not None:
            self._session.reject_fold()

    def _on_edit(self) -> None:
        if self._session is not None:
            self._session.proposal.begin_edit()
            self._scroll.ensureWidgetVisible(self.proposal.card.editor)

    def _on_keep(self) -> None:
        if (review := self._edited()) is not None:
            review.save()

    def _on_cancel(self) -> None:
        if (review := self._edited()) is not None:
            review.cancel_edit()

    def _on_left(self) -> None:
        """Escape leaves an edit in which nothing was changed; what was typed is not dropped by a key."""
        review = self._edited()
        if review is not None and review.compaction is not None and review.draft == review.compaction.summary:
            review.cancel_edit()

    # -- what it shows --------------------------------------------------------------------------

    def _edited(self) -> SummaryReview | None:
        """The summary that is being edited in the section in front."""
        if self._session is None:
            return None
        proposed = self._session.folding.proposed is not None
        if proposed and self._state.folds:
            return None
        review = self._session.proposal if proposed else self._session.in_use
        return review if review.editing else None

    def _front(self) -> QWidget:
        """The section that matters most now."""
        if self._state.folds:
            return self.running
        proposed = self._session is not None and self._session.folding.proposed is not None
        return self.proposal if proposed else self.summary

    def show_archive(self) -> None:
        """Leads to the search in the originals."""
        self.archive.field.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, lambda: self._scroll.ensureWidgetVisible(self.archive, 0, 8))

    def _scroll_to_front(self) -> None:
        self._scroll.verticalScrollBar().setValue(self._front().y() - 8)

    def _show_all(self) -> None:
        """Everything of the panel from what the session holds."""
        session, state = self._session, self._state
        folding = session.folding if session is not None else None
        folds = state.folds
        begun = folding is not None and (folds or folding.folded is not None or bool(folding.log))
        used = folding is not None and folding.state is not None and folding.state.used is not None
        self._pages.setCurrentIndex(1 if begun or used or (folding is not None and folding.proposed) else 0)
        if session is None or folding is None:
            return
        proposed = folding.proposed is not None and not folds
        self.due.show_state(folding.state, folds=folds)
        self.due.setVisible(not self.due.isHidden() and not proposed)
        self.running.setVisible(folds)
        self.running.show_folding(folding, state)
        self.failed.setVisible(folding.failed is not None and not folds)
        self.failed.setText(notice_text(self._language, folding.failed) if folding.failed is not None else "")
        self.teach.setVisible(folding.folded is None and not folds and not proposed)
        self.form.setVisible(not folds and not proposed)
        self.form.show_folding(folding, busy=state.busy, editing=session.in_use.editing)
        self.proposal.show_folding(folding, busy=state.busy)
        self.proposal.setVisible(proposed)
        self.summary.show_folding(folding, busy=state.busy)
        self.log.show_log(folding.log, folding.folded.compaction.id if folding.folded else None, busy=state.busy)
        self._show_acts(proposed=proposed)
        self._find_out()

    def _show_acts(self, *, proposed: bool) -> None:
        session = self._session
        if session is None:
            return
        review, edited = session.proposal, self._edited()
        one, check = review.compaction, review.check
        self.acts.show_acts(
            proposal=proposed,
            editing=edited is not None,
            editable=one is not None and one.editable,
            busy=self._state.busy or review.acting or (edited is not None and edited.acting),
            lost=len(check.lost) if check is not None else 0,
        )
        self._hair.setVisible(not self.acts.isHidden())

    def _find_out(self) -> None:
        """What could be folded, and what a proposal holds, where someone looks and nothing is known of it."""
        session = self._session
        if session is None or not self.isVisible():
            return
        if session.folding.proposed is not None:
            session.proposal.look()
        folding = session.folding
        if self._state.busy or folding.planning:
            return
        if folding.state is not None and folding.plan is None and folding.refused is None:
            session.plan_fold()

    def _say(self) -> None:
        say = self._language.say
        self.setAccessibleName(say("window.compaction"))
        self.teach.setText(say("compaction.teach"))
        self.empty.say(say("compaction.empty_title"), say("compaction.empty_text"), say("compaction.empty_act"))
        self._show_all()
