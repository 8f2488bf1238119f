"""The Recall panel: what of memory was told beside a question and why, what came near, and what a text would recall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QScrollArea, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from desktop_app.bridge.recall_models import FindRow, all_stand, best_of, counts, find_rows
from desktop_app.core.errors import AppError
from desktop_app.ui.language import Language
from desktop_app.ui.message_page import MessagePage
from desktop_app.ui.recall.find_list import FindList
from desktop_app.ui.recall.news_list import NewsList
from desktop_app.ui.recall.question_head import QuestionHead
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.search_field import SearchField

if TYPE_CHECKING:
    from desktop_app.bridge.recall_session import RecallSession


class RecallPanel(QWidget):
    """Shows a RecallSession: an answer, or the text in the field while there is one.

    Signals:
        factChosen(str): the fact of that id is to be shown. messageChosen(str): a question of this conversation is.
        sourceChosen(str, str): a message is to be shown, by conversation and message.
        writeAsked(): the empty panel's act, to write a message.
    """

    factChosen = Signal(str)
    messageChosen = Signal(str)
    sourceChosen = Signal(str, str)
    writeAsked = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._session: RecallSession | None = None
        self.field = SearchField()
        self.field.setClearButtonEnabled(True)
        self._icon = QAction(self.field)
        self.head = QuestionHead(theme, language)
        self.title = PlainLabel(tone="heading", wrap=True)
        self.summary = PlainLabel(tone="muted", wrap=True)
        self.error = PlainLabel(tone="danger", wrap=True)
        self.told = FindList(theme, language)
        self.news = NewsList(theme, language)
        self.near = FindList(theme, language, folds=True)
        self.empty = MessagePage(theme, size=13)
        self._arrange()
        self._connect()
        self._paint()
        self._say()

    def set_session(self, session: RecallSession | None) -> None:
        """Shows the answers of another conversation, or nothing."""
        if self._session is not None:
            self._session.watch(False)
            self._session.changed.disconnect(self._show_all)
            self._session.triedChanged.disconnect(self._show_all)
        self._session = None
        self.field.setText(session.query if session is not None else "")
        self._session = session
        self.near.open(False)
        if session is not None:
            session.changed.connect(self._show_all)
            session.triedChanged.connect(self._show_all)
            session.watch(self.isVisible())
        self._show_all()

    def show_answer(self) -> None:
        """Leads to the answer that is looked at: what was tried makes room."""
        self.field.clear()
        self._scroll.verticalScrollBar().setValue(0)
        first = self.told.cards[0].jump if self.told.cards else self.head.show_question
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        """What was recalled is read only for who looks."""
        super().showEvent(event)
        if self._session is not None:
            self._session.watch(True)

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks any more."""
        super().hideEvent(event)
        if self._session is not None:
            self._session.watch(False)

    # -- building -------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self.field.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        page = QWidget()
        self._scroll.setWidget(page)
        column = QVBoxLayout(page)
        column.setContentsMargins(16, 4, 16, 16)
        column.setSpacing(10)
        for part in (self.head, self.title, self.summary, self.error, self.told, self.news, self.near):
            column.addWidget(part)
        column.addStretch(1)
        self.pages = QStackedWidget()
        self.pages.addWidget(self._scroll)
        self.pages.addWidget(self.empty)
        top = QVBoxLayout()
        top.setContentsMargins(16, 12, 16, 8)
        top.addWidget(self.field)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(top)
        layout.addWidget(self.pages, 1)
        self.setMinimumWidth(320)

    def _connect(self) -> None:
        self.field.textChanged.connect(self._on_typed)
        self.head.stepped.connect(self._on_step)
        self.head.newestAsked.connect(self._on_newest)
        self.head.shownAsked.connect(self._on_question)
        for part in (self.told, self.near):
            part.factChosen.connect(self.factChosen)
            part.sourceChosen.connect(self.sourceChosen)
        self.news.factChosen.connect(self.factChosen)
        self.empty.acted.connect(self.writeAsked)
        self._theme.changed.connect(self._paint)
        self._language.changed.connect(self._say)

    # -- what the person does -------------------------------------------------------------------

    def _on_typed(self, text: str) -> None:
        if self._session is not None:
            self._session.try_text(text)

    def _on_step(self, by: int) -> None:
        if self._session is not None:
            self._session.step(by)

    def _on_newest(self) -> None:
        if self._session is not None:
            self._session.newest()

    def _on_question(self) -> None:
        if self._session is not None and self._session.question is not None:
            self.messageChosen.emit(self._session.question.id)

    # -- what it shows --------------------------------------------------------------------------

    def _show_all(self) -> None:
        session = self._session
        trying = session is not None and bool(session.query)
        about = session is not None and session.question is not None
        self.pages.setCurrentWidget(self._scroll if trying or about else self.empty)
        self.head.setVisible(about and not trying)
        self.title.setVisible(trying)
        if session is None or not (trying or about):
            return
        if trying:
            self._show_tried(session)
        else:
            self._show_answer(session)

    def _show_answer(self, session: RecallSession) -> None:
        found, words = session.found, self._language.words
        self.head.show_place(session)
        rows = find_rows(words, found.finds if found is not None else ())
        said = [self._counted(rows) or self._nothing(session)]
        if found is not None:
            said.append(all_stand(words, found.in_block))
        self._show_rows(rows, session.error, " ".join(filter(None, said)))
        self.news.show_notes(session.news)

    def _show_tried(self, session: RecallSession) -> None:
        say, rows = self._language.say, find_rows(self._language.words, session.tried or ())
        standing = sum(row.in_prompt for row in rows)
        said = " ".join(
            filter(None, (self._counted(rows), say("recall.panel.in_prompt", n=standing) if standing else ""))
        ) or say("recall.panel.none_tried")
        self._show_rows(rows, session.trial_error, said if session.tried is not None else say("recall.panel.looking"))
        self.news.show_notes(())

    def _counted(self, rows: Sequence[FindRow]) -> str:
        told = [row for row in rows if row.told]
        return self._language.say("recall.panel.counted", counts=counts(self._language.words, told)) if told else ""

    def _nothing(self, session: RecallSession) -> str:
        """Why no find is listed."""
        say = self._language.say
        if session.found is None and session.searched:
            return say("recall.panel.reading")
        return say("recall.panel.none" if session.found is not None else "recall.panel.not_searched")

    def _show_rows(self, rows: Sequence[FindRow], error: AppError | None, said: str) -> None:
        most = best_of(rows)
        self.told.show_rows([row for row in rows if row.told or row.in_prompt], most)
        self.near.show_rows([row for row in rows if not (row.told or row.in_prompt)], most)
        self.error.setVisible(error is not None)
        self.error.setText(self._language.explain(error) if error is not None else "")
        self.summary.setText(" ".join(filter(None, (said, *self._troubles()))))
        self.summary.setVisible(error is None)

    def _troubles(self) -> Iterator[str]:
        """What was not as it should be while finding."""
        session, say = self._session, self._language.say
        if session is not None and session.index_trouble:
            yield say("recall.panel.no_index", place=session.index_trouble)
        if session is not None and session.meaning_trouble is not None:
            yield say("recall.panel.no_meaning", why=self._language.explain(session.meaning_trouble))

    # -- words and colours ----------------------------------------------------------------------

    def _paint(self) -> None:
        self._icon.setIcon(self._theme.icon("search"))

    def _say(self) -> None:
        say = self._language.say
        self.setAccessibleName(say("window.recall"))
        self.field.setPlaceholderText(say("recall.panel.field"))
        self.field.setAccessibleName(say("recall.panel.field"))
        for button in self.field.findChildren(QToolButton):
            button.setAccessibleName(say("recall.panel.clear"))
        self.title.setText(say("recall.panel.tried"))
        self.empty.say(say("recall.panel.empty_title"), say("recall.panel.empty_text"), say("recall.panel.empty_act"))
        self._show_all()
