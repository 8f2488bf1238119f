"""What stands in a new conversation: what this is, and three things to begin with."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.ui.chat.column_width import SIDE
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel

_WIDTH = 560
_EXAMPLES = ("chat.example_first", "chat.example_second", "chat.example_third")


class ExampleButton(QPushButton):
    """A button whose words break into lines where there is little room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "example")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.words = PlainLabel(wrap=True)
        self.words.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        line = self._line = QVBoxLayout(self)
        line.setContentsMargins(14, 10, 14, 10)
        line.addWidget(self.words)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_words(self, text: str) -> None:
        """What the button says and gives."""
        self.words.setText(text)
        self.setAccessibleName(text)

    def heightForWidth(self, width: int) -> int:
        """The height its lines need."""
        return self._line.totalHeightForWidth(width)

    def sizeHint(self) -> QSize:
        """As its words."""
        return self._line.totalSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Narrow enough for a narrow window."""
        return QSize(120, self._line.totalMinimumSize().height())


class EmptyChat(QWidget):
    """Teaches in one sentence and offers examples.

    Signals:
        promptChosen(str): an example was chosen; its text.
    """

    promptChosen = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.title = PlainLabel(wrap=True)
        self.words = PlainLabel(tone="muted", wrap=True)
        self.examples = [ExampleButton() for _ in _EXAMPLES]
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(self.title)
        column.addWidget(self.words)
        column.addSpacing(12)
        for button in self.examples:
            button.clicked.connect(self._choose)
            column.addWidget(button)
        middle = QWidget()
        middle.setLayout(column)
        middle.setMaximumWidth(_WIDTH)
        line = QHBoxLayout()
        line.addStretch(1)
        line.addWidget(middle, 100)
        line.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIDE, SIDE, SIDE, SIDE)
        layout.addStretch(3)
        layout.addLayout(line)
        layout.addStretch(2)
        theme.changed.connect(self._refont)
        language.changed.connect(self._retranslate)
        self._refont()
        self._retranslate()

    def _choose(self) -> None:
        button = self.sender()
        if isinstance(button, ExampleButton):
            self.promptChosen.emit(self._language.say(_EXAMPLES[self.examples.index(button)]))

    def _refont(self) -> None:
        self.title.setFont(self._theme.panel_font(QFont.Weight.DemiBold, 19))
        self.words.setFont(self._theme.chat_font())
        for button in self.examples:
            button.words.setFont(self._theme.panel_font(size=13.5))

    def _retranslate(self) -> None:
        say = self._language.say
        self.title.setText(say("chat.empty_title"))
        self.words.setText(say("chat.empty_text"))
        for button, example in zip(self.examples, _EXAMPLES, strict=True):
            button.set_words(say(example))
