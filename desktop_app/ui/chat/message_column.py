"""The column of messages: pages of four, at most fifty of them built, between two edges that move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop_app.bridge.entries import Entry
from desktop_app.ui.chat.column_width import RING

if TYPE_CHECKING:
    from desktop_app.ui.chat.message_view import MessageView

PAGE = 4
"""Messages built in one piece: so few that scrolling does not stop for them."""
MOST_PAGES = 50


class _Page(QWidget):
    """A few messages in one container, so that a page is one item of the long column."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.views: list[MessageView] = []
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)


class MessageColumn(QWidget):
    """Builds and drops pages; rows are those of the model, `make` builds one message in its parent."""

    def __init__(self, make: Callable[[int, Entry, QWidget], MessageView], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._make = make
        self._pages: dict[int, _Page] = {}
        # Rows in front of page 0: earlier messages that became known later make a shorter page -1.
        self._base = 0
        self._width = 640
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 14, 0, 8)
        self._column.setSpacing(0)
        self._column.addStretch(1)

    @property
    def first_row(self) -> int:
        """The first row that is built."""
        return self.rows_of(min(self._pages, default=0)).start

    @property
    def end_row(self) -> int:
        """The row behind the last that is built."""
        if not self._pages:
            return 0
        last = max(self._pages)
        return self.rows_of(last).start + len(self._pages[last].views)

    def page_of(self, row: int) -> int:
        """The page a row belongs to."""
        return (row - self._base) // PAGE

    def rows_of(self, number: int) -> range:
        """The rows of a page, as far as they exist at its front."""
        return range(max(0, self._base + number * PAGE), self._base + (number + 1) * PAGE)

    def put_before(self, count: int) -> bool:
        """Rows were added in front of all; nothing built moves. False when that happened before already."""
        if self._base:
            return False
        self._base = count % PAGE
        self._pages = {number + count // PAGE: page for number, page in self._pages.items()}
        return True

    def views(self) -> Iterator[MessageView]:
        """The messages that are built, oldest first."""
        for number in sorted(self._pages):
            yield from self._pages[number].views

    def pages_built(self) -> int:
        """How many pages there are."""
        return len(self._pages)

    def view_of_row(self, row: int) -> MessageView | None:
        """The message of a row, if it is built."""
        page, place = self._pages.get(self.page_of(row)), self._place(row)
        return page.views[place] if page and place < len(page.views) else None

    def _place(self, row: int) -> int:
        return row - self.rows_of(self.page_of(row)).start

    def view_of(self, message_id: str) -> MessageView | None:
        """The message of that id, if it is built."""
        return next((view for view in self.views() if view.entry.id == message_id), None)

    def clear(self) -> None:
        """Drops every page."""
        for number in list(self._pages):
            self._drop(number)
        self._base = 0

    def build(self, number: int, entries: list[Entry]) -> None:
        """Builds page `number` from its entries and drops the farthest one beyond the limit."""
        page = _Page(self)
        for place, entry in enumerate(entries):
            self._put(page, self.rows_of(number).start + place, entry)
        later = sum(1 for known in self._pages if known > number)
        self._pages[number] = page
        self._column.insertWidget(self._column.count() - later, page)
        page.show()  # a layout shows it only later, and until then it would have no height
        if len(self._pages) > MOST_PAGES:
            first, last = min(self._pages), max(self._pages)
            self._drop(first if number - first > last - number else last)

    def append(self, row: int, entry: Entry) -> None:
        """Builds the row that follows the last one built."""
        page = self._pages.get(self.page_of(row))
        if page is None:
            self.build(self.page_of(row), [entry])
        else:
            self._put(page, row, entry)

    def cut(self, row: int) -> None:
        """Drops every message from a row on."""
        for number in [number for number in self._pages if self.rows_of(number).start >= row]:
            self._drop(number)
        page = self._pages.get(self.page_of(row))
        while page is not None and len(page.views) > self._place(row):
            _discard(page.views.pop())

    def set_width(self, width: int) -> None:
        """The width of the text in pixels."""
        if width != self._width:
            self._width = width
            for view in self.views():
                view.set_width(width)

    def settle(self, left: int, width: int, least_height: int) -> None:
        """Lays everything out now: text from `left` on, `width` of the view around, at least as tall as it."""
        self._column.setContentsMargins(max(0, left - RING), 14, 0, 8)
        if self.width() != width:
            self.resize(width, self.height())
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        self._column.activate()
        height = self._column.totalHeightForWidth(width) if self._column.hasHeightForWidth() else 0
        self.resize(width, max(height, self._column.totalSizeHint().height() if not height else 0, least_height))

    def _put(self, page: _Page, row: int, entry: Entry) -> None:
        view = self._make(row, entry, page)
        view.set_width(self._width)
        page.views.append(view)
        page.column.addWidget(view)
        if page.isVisible():
            view.show()

    def _drop(self, number: int) -> None:
        page = self._pages.pop(number)
        self._column.removeWidget(page)
        _discard(page)


def _discard(widget: QWidget) -> None:
    widget.hide()
    widget.setParent(None)
    widget.deleteLater()
