"""A text box as tall as its text: plain text only, Enter and Shift+Enter, sound with input methods."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QTextDocumentFragment
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from desktop_app.ui.chat.given_files import is_given
from desktop_app.ui.theme import Theme

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class GrowingEdit(QPlainTextEdit):
    """Grows from `least` to `most` lines.

    An Enter that arrives while a syllable is being composed ends the composition and nothing else; an Enter after
    the input method has committed is the person's.

    Signals:
        entered(): Enter was pressed and means "go".
        escaped(): Escape was pressed.
        pasted(str): a text longer than `paste_limit` bytes was pasted or dropped; it was not inserted.
        given(QMimeData): files or a picture were pasted or dropped, where it `takes_files`.
    """

    entered = Signal()
    escaped = Signal()
    pasted = Signal(str)
    given = Signal(object)

    def __init__(
        self,
        theme: Theme,
        *,
        least: int = 1,
        most: int = 10,
        paste_limit: int = 0,
        takes_files: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._takes_files = takes_files
        self._theme, self._least, self._most, self._paste_limit = theme, least, most, paste_limit
        self._preedit = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("bare", True)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(2)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        theme.changed.connect(self._refont)
        self._refont()

    @property
    def composing(self) -> bool:
        """Whether an input method holds letters that are not part of the text yet."""
        return bool(self._preedit)

    def settle(self) -> None:
        """Ends a composition: what it holds becomes text, and nothing of it can arrive a second time."""
        method = QGuiApplication.inputMethod()
        if self._preedit:
            method.commit()
        if self._preedit:
            held, self._preedit = self._preedit, ""
            event = QInputMethodEvent()
            event.setCommitString(held)
            super().inputMethodEvent(event)
        method.reset()

    def take(self) -> str:
        """The whole text; the box is empty afterwards."""
        self.settle()
        text = self.toPlainText()
        self.clear()
        return text

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remembers what is being composed."""
        self._preedit = event.preeditString()
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes, Shift+Enter breaks the line, Escape leaves."""
        if event.key() in _ENTER:
            if self._preedit:
                QGuiApplication.inputMethod().commit()
            elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.insertPlainText("\n")
                self.ensureCursorVisible()
            else:
                self.entered.emit()
            event.accept()
            return
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Anything that has words, and what can be attached."""
        return source.hasText() or source.hasHtml() or (self._takes_files and is_given(source))

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Takes the letters of what is pasted or dropped, never its form; what can be attached is told."""
        if self._takes_files and is_given(source):
            self.given.emit(source)
            return
        text = source.text() if source.hasText() else QTextDocumentFragment.fromHtml(source.html()).toPlainText()
        if self._paste_limit and len(text.encode("utf-8", "replace")) > self._paste_limit:
            self.pasted.emit(text)
        else:
            self.insertPlainText(text)

    def _grow(self) -> None:
        lines = min(max(self.document().size().height(), self._least), self._most)
        margins = self.contentsMargins().top() + self.contentsMargins().bottom()
        height = round(lines * self.fontMetrics().lineSpacing() + 2 * self.document().documentMargin()) + margins
        self.setFixedHeight(height + 2)
        full = self.document().size().height() > self._most
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if full else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)

    def _refont(self) -> None:
        self.setFont(self._theme.chat_font())
        self._grow()


class EditBox(QFrame):
    """The rounded box around a text box, ringed while the keyboard is in it."""

    def __init__(self, edit: GrowingEdit, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.edit = edit
        self.setProperty("role", "composer")
        edit.installEventFilter(self)

    def mark(self, marked: bool) -> None:
        """The ring without the keyboard: something that can be attached is held over it."""
        self.setProperty("focused", marked or self.edit.hasFocus())
        self.style().unpolish(self)
        self.style().polish(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follows the focus of the text."""
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.mark(event.type() is QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)
