"""The sign of what the cache holds: a full dot for all of it, a half one for a part, a ring for nothing."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from desktop_app.core.cache.heat import Heat
from desktop_app.ui.theme import Theme

_RADIUS = 3.5
INDENT = 20
"""Pixels of a cell before the words behind a sign."""


def paint_heat(painter: QPainter, theme: Theme, given: str, box: QRectF) -> None:
    """The sign at the left of a cell; Qt gives a model's Heat back as its word."""
    heat, tokens = Heat(given), theme.tokens
    middle = QPointF(box.left() + 11, box.center().y())
    dot = QRectF(middle.x() - _RADIUS, middle.y() - _RADIUS, 2 * _RADIUS, 2 * _RADIUS)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(tokens.color("muted" if heat is Heat.NEW else "good"), 1.2))
    painter.setBrush(tokens.color("good") if heat is Heat.HOT else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(dot)
    if heat is Heat.PART:
        painter.setBrush(tokens.color("good"))
        painter.drawChord(dot, 90 * 16, 180 * 16)
