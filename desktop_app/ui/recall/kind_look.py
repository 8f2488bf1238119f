"""How the kinds of finds look: a colour and a shape of its own for facts, for what was said, and for documents."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop_app.core.passages import PassageKind
from desktop_app.core.segment import Segment
from desktop_app.ui.theme import Theme

_SIZE = 14


def kind_colour(theme: Theme, kind: PassageKind) -> QColor:
    """Facts and messages have the colour of their segment; documents stand in none."""
    if kind is PassageKind.DOCUMENT:
        return theme.tokens.color("accent")
    return theme.tokens.segment(Segment.FACTS if kind is PassageKind.FACT else Segment.MESSAGES)


def kind_shape(kind: PassageKind, box: QRectF) -> QPainterPath:
    """A disc, a balloon, a page with a corner folded."""
    path = QPainterPath()
    if kind is PassageKind.FACT:
        path.addEllipse(box.adjusted(1.5, 1.5, -1.5, -1.5))
    elif kind is PassageKind.TURN:
        path.addRoundedRect(box.adjusted(0.5, 1.5, -0.5, -3.5), 3, 3)
        left, foot = box.left() + 3, box.bottom() - 3.6
        tail = QPainterPath()
        tail.addPolygon(QPolygonF((QPointF(left, foot), QPointF(left + 4.5, foot), QPointF(left, box.bottom()))))
        path = path.united(tail)
    else:
        page, fold = box.adjusted(2, 0.5, -2, -0.5), 3.5
        corners = (
            page.topLeft(),
            page.topRight() - QPointF(fold, 0),
            page.topRight() + QPointF(0, fold),
            page.bottomRight(),
            page.bottomLeft(),
        )
        path.addPolygon(QPolygonF(corners))
        path.closeSubpath()
    return path


class KindMark(QWidget):
    """The shape of a kind in its colour; what it stands for is said in words beside it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._kind = PassageKind.FACT
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_kind(self, kind: PassageKind) -> None:
        """Another kind."""
        self._kind = kind
        self.update()

    def sizeHint(self) -> QSize:
        """A small square."""
        return QSize(_SIZE, _SIZE)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The shape."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(kind_colour(self._theme, self._kind))
        painter.drawPath(kind_shape(self._kind, QRectF(0, 0, _SIZE, _SIZE)))
        painter.end()
