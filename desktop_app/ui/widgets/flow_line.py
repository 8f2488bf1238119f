"""A layout that puts its items beside each other and goes on in the next line where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLine(QLayout):
    """Items keep the width they ask for. `last_right` puts the last one at the right end of its line."""

    def __init__(
        self, parent: QWidget | None = None, *, gap: int = 8, line_gap: int = 6, last_right: bool = False
    ) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._gap, self._line_gap, self._last_right = gap, line_gap, last_right
        self.setContentsMargins(0, 0, 0, 0)
        if parent is not None:
            parent.setLayout(self)  # it may ask for the items at once

    def addItem(self, item: QLayoutItem) -> None:
        """Takes one more at the end."""
        self._items.append(item)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item of a place; None behind the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Gives an item away."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It takes no more than it needs."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Narrow ones need more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Pixels all lines take, the margins included."""
        edge = self.contentsMargins()
        inside = width - edge.left() - edge.right()
        return self._place(QRect(0, 0, inside, 0), moves=False) + edge.top() + edge.bottom()

    def sizeHint(self) -> QSize:
        """All in one line."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        wide = sum(one.width() for one in sizes) + self._gap * max(len(sizes) - 1, 0)
        return self._with_edge(QSize(wide, max((one.height() for one in sizes), default=0)))

    def minimumSize(self) -> QSize:
        """The widest item."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        wide, tall = (max((size(one) for one in sizes), default=0) for size in (QSize.width, QSize.height))
        return self._with_edge(QSize(wide, tall))

    def setGeometry(self, box: QRect) -> None:
        """Puts every item into its place."""
        super().setGeometry(box)
        self._place(box.marginsRemoved(self.contentsMargins()), moves=True)

    def _with_edge(self, size: QSize) -> QSize:
        return size.grownBy(self.contentsMargins())

    def _place(self, box: QRect, *, moves: bool) -> int:
        """Lays the lines out; the height they take."""
        top, tall = box.top(), 0
        line: list[tuple[QLayoutItem, QSize]] = []
        used = 0
        for item in (item for item in self._items if not item.isEmpty()):
            size = item.sizeHint().boundedTo(QSize(max(box.width(), 1), 10_000))
            if line and used + self._gap + size.width() > box.width():
                self._put_line(line, box, top, tall, moves=moves)
                top, line, used, tall = top + tall + self._line_gap, [], 0, 0
            used += size.width() + (self._gap if line else 0)
            tall = max(tall, size.height())
            line.append((item, size))
        self._put_line(line, box, top, tall, moves=moves)
        return top + tall - box.top()

    def _put_line(self, line: list[tuple[QLayoutItem, QSize]], box: QRect, top: int, tall: int, *, moves: bool) -> None:
        if not moves:
            return
        left = box.left()
        for item, size in line:
            if self._last_right and item is self._items[-1]:
                left = max(left, box.right() + 1 - size.width())
            item.setGeometry(QRect(QPoint(left, top + (tall - size.height()) // 2), size))
            left += size.width() + self._gap
