"""Labels and tool tips that never read their text as markup."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from desktop_app.ui.theme import Theme


class PlainLabel(QLabel):
    """A line or paragraph of plain text. `tone`: muted, danger, warning, accent, good, heading, muted-heading, tag."""

    def __init__(self, text: str = "", *, tone: str = "", wrap: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setText(text)
        if tone:
            self.setProperty("tone", tone)

    def set_tone(self, tone: str) -> None:
        """Another look of the same text."""
        if self.property("tone") != tone:
            self.setProperty("tone", tone)
            self.style().unpolish(self)
            self.style().polish(self)


class ElidedLabel(PlainLabel):
    """One line that is shortened with … where it does not fit; the whole text in the tool tip."""

    def __init__(self, text: str = "", *, tone: str = "", parent: QWidget | None = None) -> None:
        self._whole = ""
        super().__init__(tone=tone, parent=parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.set_whole(text)

    def set_whole(self, text: str) -> None:
        """Sets the text before shortening."""
        self._whole = text
        self._fit()

    def whole(self) -> str:
        """The text before shortening."""
        return self._whole

    def sizeHint(self) -> QSize:
        return QSize(QFontMetrics(self.font()).horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def resizeEvent(self, _event: object) -> None:
        self._fit()

    def _fit(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._whole, Qt.TextElideMode.ElideRight, max(self.width(), 24))
        self.setText(shown)
        set_tooltip(self, self._whole if shown != self._whole else "")


def set_tooltip(widget: QWidget, text: str) -> None:
    """A tool tip shown letter by letter, whatever it holds."""
    widget.setToolTip(f"<span>{escape(text)}</span>" if text else "")


def themed_icon_label(theme: Theme, name: str, colour: str = "muted", parent: QWidget | None = None) -> QLabel:
    """A label that shows a line icon and follows the theme."""
    return _IconLabel(theme, name, colour, parent)


class _IconLabel(QLabel):
    def __init__(self, theme: Theme, name: str, colour: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._theme, self._name, self._colour = theme, name, colour
        theme.changed.connect(self._draw)
        self._draw()

    def _draw(self) -> None:
        self.setPixmap(self._theme.icon(self._name, self._colour).pixmap(QSize(16, 16), self.devicePixelRatioF()))
