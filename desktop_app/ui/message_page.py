"""A page that says one thing in the middle: a title, a sentence, one act, and details on demand."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel
from desktop_app.ui.widgets.text_field import TextField

_WIDTH = 480


class MessagePage(QWidget):
    """`acted` when its button is pressed. Without words for the act there is no button."""

    acted = Signal()

    def __init__(self, theme: Theme, *, size: float = 16.0, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = ("", "")
        self.title = PlainLabel(wrap=True)
        self.text = PlainLabel(tone="muted", wrap=True)
        self.act = TextButton()
        self.more = TextButton(kind="link")
        self.details = TextField()
        self.details.setReadOnly(True)
        self.details.setFixedHeight(140)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._arrange()
        self.act.clicked.connect(self.acted)
        self.more.clicked.connect(self._toggle)
        keep_font(self.title, theme, size, QFont.Weight.DemiBold)

    def say(self, title: str, text: str, act: str = "") -> None:
        """What the page says."""
        self.title.setText(title)
        self.text.setText(text)
        self.act.set_words(act)
        self.act.setVisible(bool(act))

    def set_details(self, details: str, show: str = "", hide: str = "") -> None:
        """Text behind a button with the words `show` and `hide`; none without details."""
        self._labels = (show, hide)
        self.details.setPlainText(details)
        self.details.setAccessibleName(show)
        self.details.hide()
        self.more.set_words(show)
        self.more.setVisible(bool(details))

    def _arrange(self) -> None:
        column = QWidget()
        column.setMaximumWidth(_WIDTH)
        inner = QVBoxLayout(column)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        inner.addWidget(self.title)
        inner.addWidget(self.text)
        inner.addSpacing(8)
        inner.addWidget(self.act, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addWidget(self.more, 0, Qt.AlignmentFlag.AlignHCenter)
        inner.addWidget(self.details)
        self.more.hide()
        self.details.hide()
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(column, 100)
        across.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(32, 32, 32, 32)
        layout.addStretch(2)
        layout.addLayout(across)
        layout.addStretch(3)

    def _toggle(self) -> None:
        opened = self.details.isHidden()
        self.details.setVisible(opened)
        self.more.set_words(self._labels[1 if opened else 0])
