"""A quiet line that unfolds into plain text: the frame of thinking and of tool calls."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.ui.chat.plain_view import PlainView
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton
from desktop_app.ui.widgets.plain_label import ElidedLabel, themed_icon_label

_PAD = 12


class FoldingCard(QFrame):
    """A head line with an icon and, unfolded, its sections of text.

    Signals:
        heightChanged(): it was folded, unfolded or grew.
    """

    heightChanged = Signal()

    def __init__(self, theme: Theme, language: Language, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.setProperty("role", "chip")
        self.head = ElidedLabel(tone="muted")
        self.mark = themed_icon_label(theme, icon)
        self.fold = IconButton(theme, "chevron-right")
        self.fold.clicked.connect(self.toggle)
        self.body = QWidget()
        self.body.hide()
        self.inside = QVBoxLayout(self.body)
        self.inside.setContentsMargins(_PAD, 0, _PAD, 10)
        self.inside.setSpacing(4)
        line = QHBoxLayout()
        line.setContentsMargins(_PAD, 3, 4, 3)
        line.setSpacing(8)
        line.addWidget(self.mark)
        line.addWidget(self.head, 1)
        line.addWidget(self.fold)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addWidget(self.body)
        theme.changed.connect(self._refont)
        language.changed.connect(self.retranslate)
        self._refont()

    @property
    def unfolded(self) -> bool:
        """Whether the text is shown."""
        return not self.body.isHidden()

    def toggle(self) -> None:
        """Folds or unfolds."""
        self.body.setVisible(self.body.isHidden())
        self.fold.set_icon("chevron-down" if self.unfolded else "chevron-right")
        self.retranslate()
        self.heightChanged.emit()

    def section(self, *, mono: bool = False) -> PlainView:
        """Adds a text to the body."""
        view = PlainView(self._theme, self._language, mono=mono)
        view.heightChanged.connect(self.heightChanged)
        self.inside.addWidget(view)
        return view

    def set_width(self, width: int) -> None:
        """The width of the card in pixels."""
        self.setFixedWidth(width)
        for view in self.body.findChildren(PlainView):
            view.set_width(width - 2 * _PAD - 2)

    def retranslate(self) -> None:
        """Says its words anew."""
        self.fold.set_name(self._language.say("chat.fold" if self.unfolded else "chat.unfold"))

    def mousePressEvent(self, _event: object) -> None:
        """The whole head line folds."""
        self.toggle()

    def _refont(self) -> None:
        self.head.setFont(self._theme.panel_font())
        self.setCursor(Qt.CursorShape.PointingHandCursor)
