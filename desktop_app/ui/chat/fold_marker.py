"""The line in the chat where a memo stands in place of what is above it; pressing it shows both."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from desktop_app.bridge.entries import FoldEnd
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import set_tooltip

HEIGHT = 40
_GAP = 10
_DASH = (3.0, 3.0)


class FoldMarker(QAbstractButton):
    """Words between two dashed lines: so many messages are folded, or being folded."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._end: FoldEnd | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        language.changed.connect(self._say)

    def show_end(self, end: FoldEnd | None) -> None:
        """What ends here; nothing is shown for nothing."""
        self._end = end
        self.setVisible(end is not None)
        self._say()

    def sizeHint(self) -> QSize:
        """As wide as the column."""
        return QSize(320, HEIGHT)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Line, words, line; the ring of the keyboard around the words."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = self._theme.panel_font()
        font.setUnderline(self.underMouse())
        painter.setFont(font)
        most = max(self.width() - 2 * (_GAP + 24), 40)
        words = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, most)
        metrics = painter.fontMetrics()
        box = QRectF(0, 0, metrics.horizontalAdvance(words) + 2 * _GAP, metrics.height() + 8)
        box.moveCenter(QRectF(self.rect()).center())
        middle = round(box.center().y()) + 0.5
        pen = QPen(tokens.color("warning_mark"), 1)
        pen.setDashPattern(_DASH)
        painter.setPen(pen)
        painter.drawLine(QPointF(0, middle), QPointF(box.left(), middle))
        painter.drawLine(QPointF(box.right(), middle), QPointF(self.width(), middle))
        painter.setPen(tokens.color("warning"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
        if self.hasFocus():
            painter.setPen(QPen(tokens.color("accent"), 2))
            painter.drawRoundedRect(box, 6, 6)
        painter.end()

    def _say(self) -> None:
        if self._end is None:
            return
        words = self._language.say(f"compaction.marker.{self._end.fold}", n=self._end.count)
        self.setText(words)
        self.setAccessibleName(words)
        set_tooltip(self, self._language.say("compaction.marker.hint"))
        self.update()
