"""A paragraph of which the first lines are shown until all of it is wanted."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel

_LEADING = 3
_WIDTH = 280


class ShortText(PlainLabel):
    """Plain text; closed it is one paragraph of at most `lines` lines, open it has its own line breaks.

    Signals:
        cutChanged(): there is more of it than the lines that are shown, or no longer.
    """

    cutChanged = Signal()

    def __init__(self, theme: Theme, lines: int = 3, *, colour: str = "text", parent: QWidget | None = None) -> None:
        super().__init__(wrap=True, parent=parent)
        self._theme, self._lines, self._colour = theme, lines, colour
        self.opened = self.is_cut = False
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_whole(self, text: str) -> None:
        """Another text, closed."""
        if text != self.text():
            self.setText(text)
            self.set_open(False)
            self._look()

    def set_colour(self, colour: str) -> None:
        """Another colour of the palette."""
        self._colour = colour
        self.update()

    def set_open(self, opened: bool) -> None:
        """Shows all of it, or the first lines."""
        if opened != self.opened:
            self.opened = opened
            self.updateGeometry()
            self.update()

    def hasHeightForWidth(self) -> bool:
        """Narrow ones need more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Pixels of the lines that are shown."""
        layout = self._laid(width)
        count = layout.lineCount() if self.opened else min(layout.lineCount(), self._lines)
        return ceil(count * self._step())

    def sizeHint(self) -> QSize:
        """As tall as its lines are in the present width."""
        width = self.width() or _WIDTH
        return QSize(_WIDTH, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """One line."""
        return QSize(60, ceil(self._step()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In another width it may fit."""
        super().resizeEvent(event)
        self._look()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The lines; the last one ends in … where there is more."""
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(self._theme.tokens.color(self._colour))
        layout, step, text = self._laid(self.width()), self._step(), self._paragraph()
        last = layout.lineCount() - 1 if self.opened else min(layout.lineCount(), self._lines) - 1
        for place in range(last + 1):
            line = layout.lineAt(place)
            if place == last < layout.lineCount() - 1:
                rest = text[line.textStart() :]
                cut = QFontMetrics(self.font()).elidedText(rest, Qt.TextElideMode.ElideRight, self.width())
                baseline = place * step + line.ascent()
                painter.drawText(QPointF(0, baseline), cut)
            else:
                line.draw(painter, QPointF(0, place * step - line.y()))
        painter.end()

    def _paragraph(self) -> str:
        return self.text().replace("\n", "\u2028") if self.opened else " ".join(self.text().split())

    def _laid(self, width: int) -> QTextLayout:
        layout = QTextLayout(self._paragraph(), self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(width, 1))
        layout.endLayout()
        return layout

    def _step(self) -> float:
        return QFontMetrics(self.font()).lineSpacing() + _LEADING

    def _look(self) -> None:
        cut = not self.opened and self._laid(self.width()).lineCount() > self._lines
        if cut != self.is_cut and not self.opened:
            self.is_cut = cut
            self.cutChanged.emit()
