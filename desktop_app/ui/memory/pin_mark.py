"""The diamond that stands for a pin: filled where a fact is pinned, empty where not."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap, QPolygonF

_ICON = 12


def paint_pin(painter: QPainter, box: QRectF, colour: QColor, *, pinned: bool, size: float = 5.0) -> None:
    """A diamond in the middle of a box, `size` from its middle to a corner."""
    middle = box.center()
    corners = ((0.0, -size), (size, 0.0), (0.0, size), (-size, 0.0))
    painter.setPen(QPen(colour, 1.2))
    painter.setBrush(colour if pinned else Qt.BrushStyle.NoBrush)
    painter.drawPolygon(QPolygonF([QPointF(middle.x() + x, middle.y() + y) for x, y in corners]))


def pin_icon(colour: QColor, *, pinned: bool, ratio: float) -> QIcon:
    """The diamond for a button, 12 pixels wide at a device pixel ratio."""
    pixmap = QPixmap(QSize(_ICON, _ICON) * ratio)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    paint_pin(painter, QRectF(0, 0, _ICON, _ICON), colour, pinned=pinned, size=4.5)
    painter.end()
    return QIcon(pixmap)
