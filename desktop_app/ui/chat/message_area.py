"""Scrolls the column of messages and keeps the reader where they are while it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop_app.ui.chat.column_width import COLUMN, SIDE
from desktop_app.ui.chat.message_column import MessageColumn

if TYPE_CHECKING:
    from desktop_app.ui.chat.message_view import MessageView

_EDGE = 1_200
"""Pixels from an edge at which what lies behind it is built: more than one step of the reader."""
_END = 12


@dataclass(frozen=True, slots=True)
class Anchor:
    """The message the reader looks at and how far below the upper edge it begins."""

    view: MessageView
    offset: int


class MessageArea(QScrollArea):
    """`following`: the reader is at the end and moves along. `adjusting`: we move the scroll bar, not the reader.

    Signals:
        scrolled(): the reader moved.
    """

    scrolled = Signal()

    def __init__(self, column: MessageColumn, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.column = column
        self.following = True
        self.adjusting = False
        self.setWidget(column)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.verticalScrollBar().valueChanged.connect(self._on_value)

    def anchor(self) -> Anchor | None:
        """What must stay where it is."""
        value = self.verticalScrollBar().value()
        for view in self.column.views():
            top = self.top_of(view)
            if top + view.height() > value:
                return Anchor(view, top - value)
        return None

    def lay_out(self, width: int, anchor: Anchor | None) -> None:
        """Lays the column out in a view `width` pixels wide; goes to the end, or back to the anchor."""
        self.adjusting = True
        bar = self.verticalScrollBar()
        column = min(COLUMN, max(240, width - 2 * SIDE))
        self.column.set_width(column)
        # The scroll bar takes its room at the right without moving the text.
        self.column.settle((width - column) // 2, self.viewport().width(), self.viewport().height())
        if self.following:
            bar.setValue(bar.maximum())
        elif anchor is not None:
            bar.setValue(self.top_of(anchor.view) - anchor.offset)
        self.adjusting = False

    def top_of(self, view: MessageView) -> int:
        """Where a message begins in the column."""
        return view.mapTo(self.column, view.rect().topLeft()).y()

    def near_start(self) -> bool:
        """Whether the upper edge of what is built comes into sight."""
        return self.verticalScrollBar().value() < _EDGE

    def near_end(self) -> bool:
        """Whether the lower edge of what is built comes into sight."""
        return self.verticalScrollBar().value() > self.verticalScrollBar().maximum() - _EDGE

    def at_end(self) -> bool:
        """Whether the lower edge is in sight."""
        return self.verticalScrollBar().value() >= self.verticalScrollBar().maximum() - _END

    def _on_value(self) -> None:
        if not self.adjusting:
            self.scrolled.emit()
