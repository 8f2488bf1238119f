"""The messages that are folded, one line each; a click leads to the message in the chat."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.folded_messages import FoldedMessagesModel
from desktop_app.core.conversation import Message
from desktop_app.ui.context.flat_table import ROW, AnyIndex, FlatDelegate, FlatTable
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_MOST_ROWS = 8


class _LineDelegate(FlatDelegate):
    def colour(self, index: AnyIndex) -> str:
        return "muted" if index.column() == FoldedMessagesModel.WHO else "text"


class FoldedList(QWidget):
    """`messageChosen(id)`; closed until it is asked for. `head` is the line of its button."""

    messageChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._path: Sequence[Message] = ()
        self._ids: Collection[str] = ()
        self.model = FoldedMessagesModel(language.words, self)
        self.toggle = TextButton(kind="link")
        self.table = FlatTable(theme)
        self.table.horizontalHeader().hide()
        self.table.setModel(self.model)
        self.table.setItemDelegate(_LineDelegate(theme, self.table))
        self.table.fit_columns(FoldedMessagesModel.WORDS, {FoldedMessagesModel.WHO: 92})
        self.table.hide()
        self.hint = PlainLabel(tone="muted", wrap=True)
        self.hint.hide()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.head = QHBoxLayout()
        self.head.addWidget(self.toggle)
        self.head.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(self.head)
        layout.addWidget(self.table)
        layout.addWidget(self.hint)
        self.toggle.clicked.connect(self._on_toggle)
        self.table.opened.connect(self._open)
        language.changed.connect(self._on_language)
        self._say()

    @property
    def opened(self) -> bool:
        """Whether the messages are shown."""
        return not self.table.isHidden()

    def show_messages(self, path: Sequence[Message], message_ids: Collection[str]) -> None:
        """Other messages."""
        self._path, self._ids = path, message_ids
        if self.opened:
            self._fill()
        self._say()

    def open(self, opened: bool = True) -> None:
        """Shows the messages, or hides them; they are read only when they are shown."""
        if opened:
            self._fill()
        self.table.setVisible(opened)
        self.hint.setVisible(opened)
        self._say()

    def _fill(self) -> None:
        self.model.show(self._path, self._ids)
        rows = min(self.model.rowCount(), _MOST_ROWS)
        self.table.setFixedHeight(max(rows, 1) * ROW + 2)

    def _on_toggle(self) -> None:
        self.open(not self.opened)

    def _open(self, place: int) -> None:
        message_id = self.model.index(place, 0).data(FoldedMessagesModel.MessageRole)
        if message_id:
            self.messageChosen.emit(message_id)

    def _on_language(self) -> None:
        self.model.set_words(self._language.words)
        self._say()

    def _say(self) -> None:
        say = self._language.say
        self.toggle.set_words(say("compaction.list.hide" if self.opened else "compaction.list.show", n=len(self._ids)))
        self.table.setAccessibleName(say("compaction.list.name"))
        self.hint.setText(say("compaction.list.hint"))
