"""Where writing a document stands: at its end, in a list, inside quotes."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QTextBlockFormat, QTextList, QTextListFormat


@dataclass(frozen=True, slots=True)
class Place:
    """The end of the document at one moment: what must be known to write from there again.

    `reusable` when the last block is empty and waits for text; `after_code` when it is a line of code.
    """

    position: int
    block: QTextBlockFormat
    reusable: bool
    after_code: bool
    codes: int
    links: int
    line: int


@dataclass(frozen=True, slots=True)
class ListRun:
    """A list being written: how its marks look, the number of its first item, its items so far.

    Long lists are several of Qt's, `group` being the last: a change in one of Qt's lists lays out all of its items.
    """

    marks: QTextListFormat
    start: int
    count: int = 0
    group: QTextList | None = None


@dataclass(slots=True)
class Context:
    """Where the next block stands. `opening`: it is the first of a list item and carries the item's mark."""

    quotes: int = 0
    indent: int = 0
    run: ListRun | None = None
    opening: bool = False
