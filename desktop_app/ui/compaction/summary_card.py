"""The card a summary stands in: to be read and copied, or edited as plain text where it is ours."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.core.compaction.compaction import Compaction
from desktop_app.ui.compaction.summary_view import SummaryView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton, TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.text_field import TextField

_COPIED_MS = 1_200
_EDITOR = 300
_HEAD = 28


class SummaryEditor(TextField):
    """`left` on Escape, `saveAsked` on Ctrl+Enter."""

    left = Signal()
    saveAsked = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leaves, Ctrl+Enter keeps."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
            return
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and control:
            self.saveAsked.emit()
            return
        super().keyPressEvent(event)


class SummaryCard(QFrame):
    """Shows a text that is kept, being edited, or arriving.

    Signals:
        editAsked(): the text is to be edited. typed(str): the edited text is another.
        saveAsked(), left(): the edit is to be kept, or to be left.
    """

    editAsked = Signal()
    typed = Signal(str)
    saveAsked = Signal()
    left = Signal()

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._compaction: Compaction | None = None
        self.setProperty("role", "card")
        self.title = PlainLabel(tone="heading")
        self.tokens = PlainLabel(tone="muted")
        self.edit = TextButton(kind="link")
        self.copy = IconButton(theme, "copy")
        self.signed = PlainLabel(tone="muted", wrap=True)
        self.memo = SummaryView(theme, language)
        self.editor = SummaryEditor()
        self.keys = PlainLabel(tone="muted", wrap=True)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(self._end_copied)
        self._arrange()
        self.copy.clicked.connect(self._copy)
        self.edit.clicked.connect(self.editAsked)
        self.editor.textChanged.connect(self._on_typed)
        self.editor.left.connect(self.left)
        self.editor.saveAsked.connect(self.saveAsked)
        language.changed.connect(self._say)
        self.show_arriving("")
        self._say()

    @property
    def editing(self) -> bool:
        """Whether the text is being edited."""
        return not self.editor.isHidden()

    def show_arriving(self, text: str) -> None:
        """A text as far as it has come: it can neither be copied nor edited yet."""
        self._compaction = None
        self.memo.set_text(text)
        for widget in (self.copy, self.edit, self.tokens, self.signed, self.editor, self.keys):
            widget.hide()
        self.memo.show()

    def show_summary(
        self, compaction: Compaction, draft: str | None = None, *, busy: bool = False, storing: bool = False
    ) -> None:
        """The text of a compaction, or a `draft` of it in the editor.

        `busy` while no edit can begin; `storing` while nothing can be typed either, for the draft is being kept.
        """
        began = draft is not None and not self.editing
        self._compaction = compaction
        self.memo.set_text(compaction.summary)
        self.copy.setVisible(bool(compaction.summary))
        self.tokens.show()
        self.edit.setVisible(compaction.editable and draft is None)
        self.edit.setEnabled(not busy)
        self.signed.setVisible(not compaction.editable)
        self.memo.setVisible(draft is None and bool(compaction.summary))
        self.editor.setVisible(draft is not None)
        self.keys.setVisible(draft is not None)
        self.editor.setReadOnly(storing)
        if draft is not None and self.editor.toPlainText() != draft:
            blocked = self.editor.blockSignals(True)
            self.editor.setPlainText(draft)
            self.editor.blockSignals(blocked)
        if began:
            self.editor.setFixedHeight(max(_EDITOR, min(self.memo.height() + 40, 2 * _EDITOR)))
            self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        self._say()

    def find_words(self, text: str) -> bool:
        """Selects where a text stands; False where it does not."""
        if not self.editing:
            return self.memo.find_words(text)
        self.editor.moveCursor(self.editor.textCursor().MoveOperation.Start)
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)
        return self.editor.find(text)

    def _on_typed(self) -> None:
        self.typed.emit(self.editor.toPlainText())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.memo.text)
        self.copy.set_icon("check", "good")
        self._copied.start()

    def _end_copied(self) -> None:
        self.copy.set_icon("copy", "muted")

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.title, 1)
        for part in (self.tokens, self.edit, self.copy):
            head.addWidget(part)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 8, 10, 12)
        layout.setSpacing(4)
        layout.addLayout(head)
        self.title.setMinimumHeight(_HEAD)
        self.signed.setContentsMargins(0, 0, 0, 8)
        for widget in (self.signed, self.memo, self.editor, self.keys):
            layout.addWidget(widget)

    def _say(self) -> None:
        say = self._language.say
        self.title.setText(say("compaction.memo.editing" if self.editing else "compaction.memo.title"))
        self.copy.set_name(say("compaction.memo.copy"))
        self.edit.set_words(say("compaction.memo.edit"))
        self.memo.setAccessibleName(say("compaction.memo.title"))
        self.editor.setAccessibleName(say("compaction.memo.editing"))
        self.keys.setText(say("compaction.memo.keys"))
        self.signed.setText(say("compaction.memo.signed"))
        if self._compaction is not None:
            tokens = self._compaction.summary_tokens
            self.tokens.setText(say("compaction.memo.tokens", tokens=self._language.number(tokens)) if tokens else "")
