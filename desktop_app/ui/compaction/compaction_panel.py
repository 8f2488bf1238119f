"""The Compaction panel: when folding is due, the memo in use, folding by hand, and what was folded before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedLayout, QVBoxLayout, QWidget

from desktop_app.bridge.session_state import Phase, SessionState
from desktop_app.ui.compaction.due_section import DueSection
from desktop_app.ui.compaction.fold_form import FoldForm
from desktop_app.ui.compaction.fold_log import FoldLog
from desktop_app.ui.compaction.running_section import RunningSection
from desktop_app.ui.compaction.summary_section import SummarySection
from desktop_app.ui.language import Language
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.notice_bar import notice_text
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel

if TYPE_CHECKING:
    from desktop_app.bridge.chat_session import ChatSession


class CompactionPanel(QWidget):
    """Shows the folding of one conversation.

    Signals:
        messageChosen(id): a folded message was chosen.
        writeAsked: the empty panel's act, to write a message.
    """

    messageChosen = Signal(str)
    writeAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._session: ChatSession | None = None
        self._state = SessionState()
        self.due = DueSection(theme, language)
        self.running = RunningSection(theme, language)
        self.failed = PlainLabel(tone="warning", wrap=True)
        self.teach = PlainLabel(tone="muted", wrap=True)
        self.summary = SummarySection(theme, language)
        self.form = FoldForm(theme, language)
        self.log = FoldLog(theme, language)
        self.empty = MessagePage(theme, size=13)
        self._arrange()
        self._connect()
        self._say()
        self._show_all()

    def set_session(self, session: ChatSession | None) -> None:
        """Shows another conversation, or nothing."""
        if self._session is not None:
            self._session.stateChanged.disconnect(self._on_state)
            self._session.folding.changed.disconnect(self._show_all)
            self._session.folding.memoArrived.disconnect(self._on_memo)
        self._session = session
        self._state = session.state if session is not None else SessionState()
        self.form.close_form()
        self.summary.list.open(False)
        if session is not None:
            session.stateChanged.connect(self._on_state)
            session.folding.changed.connect(self._show_all)
            session.folding.memoArrived.connect(self._on_memo)
        self._show_all()

    def show_folded(self) -> None:
        """Leads to the memo and what it stands for, or to the one that is arriving."""
        if self._state.phase is not Phase.FOLDING:
            self.summary.list.open()
            self.summary.card.memo.setFocus(Qt.FocusReason.OtherFocusReason)
        QTimer.singleShot(0, self, self._scroll_to_folded)  # once all of it has its height

    def showEvent(self, event: QShowEvent) -> None:
        """What could be folded is found out only for who looks."""
        super().showEvent(event)
        self._show_all()

    def _scroll_to_folded(self) -> None:
        section: QWidget = self.running if self._state.phase is Phase.FOLDING else self.summary
        self._scroll.verticalScrollBar().setValue(section.y() - 8)

    def _arrange(self) -> None:
        self._pages = QStackedLayout(self)
        self._pages.addWidget(self.empty)
        scroll = self._scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._pages.addWidget(scroll)
        page = self._page = QWidget()
        scroll.setWidget(page)
        layout = QVBoxLayout(page)
        layout.setContentsMargins(16, 12, 16, 16)
        layout.setSpacing(16)
        for widget in (self.due, self.failed, self.running, self.teach, self.form, self.summary, self.log):
            layout.addWidget(widget)
        layout.addStretch()
        self.setMinimumWidth(360)

    def _connect(self) -> None:
        self.empty.acted.connect(self.writeAsked)
        self.running.stopAsked.connect(self._on_stop)
        self.form.foldAsked.connect(self._on_fold)
        self.summary.undoAsked.connect(self._on_undo)
        self.summary.messageChosen.connect(self.messageChosen)
        self._language.changed.connect(self._say)

    def _on_state(self, state: SessionState) -> None:
        was, self._state = self._state, state
        if (was.busy, was.phase, was.ending) != (state.busy, state.phase, state.ending):
            self._show_all()

    def _on_memo(self, _text: str) -> None:
        self.running.show_memo()

    def _on_stop(self) -> None:
        if self._session is not None:
            self._session.stop()

    def _on_fold(self, focus: str) -> None:
        if self._session is not None:
            self._session.fold(focus)

    def _on_undo(self) -> None:
        if self._session is not None:
            self._session.undo_fold()

    def _show_all(self) -> None:
        """Everything of the panel from what the session holds."""
        folding = self._session.folding if self._session is not None else None
        state = self._state
        folds = state.phase is Phase.FOLDING
        begun = folding is not None and (folds or folding.folded is not None or bool(folding.log))
        used = folding is not None and folding.state is not None and folding.state.used is not None
        self._pages.setCurrentIndex(1 if begun or used else 0)
        if folding is None:
            return
        self.due.show_state(folding.state, folds=folds)
        self.running.setVisible(folds)
        self.running.show_folding(folding, state)
        self.failed.setVisible(folding.failed is not None and not folds)
        self.failed.setText(notice_text(self._language, folding.failed) if folding.failed is not None else "")
        self.teach.setVisible(folding.folded is None and not folds)
        self.form.setVisible(not folds)
        self.form.show_folding(folding, busy=state.busy)
        self.summary.show_folding(folding, busy=state.busy)
        self.log.show_log(folding.log, folding.folded.compaction.id if folding.folded else None)
        self._ask_plan()

    def _ask_plan(self) -> None:
        """What could be folded, where someone looks and nothing is known of it."""
        session = self._session
        if session is None or not self.isVisible() or self._state.busy or session.folding.planning:
            return
        folding = session.folding
        if folding.state is not None and folding.offer is None and folding.refused is None:
            session.plan_fold()

    def _say(self) -> None:
        say = self._language.say
        self.setAccessibleName(say("window.compaction"))
        self.teach.setText(say("compaction.teach"))
        self.empty.say(say("compaction.empty_title"), say("compaction.empty_text"), say("compaction.empty_act"))
        self._show_all()
