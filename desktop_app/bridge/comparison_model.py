"""The rows of a comparison of two requests, and the lines of the block that is looked at."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from desktop_app.bridge.block_labels import block_kind, first_words
from desktop_app.bridge.figures import number
from desktop_app.bridge.visible_text import visible_line, visible_text
from desktop_app.core.conversation import Block
from desktop_app.core.line_diff import DiffLine, diff_lines, first_lines
from desktop_app.core.request_diff import BlockPair, Change, RequestDiff
from desktop_app.core.words import Words

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
SIGNS = {Change.SAME: "=", Change.CHANGED: "~", Change.ADDED: "+", Change.REMOVED: "−"}
_ASIDE = 3
"""Equal blocks in a row from which on they are one line, where only differences are shown."""


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """One line: a field of the request (its name and both values as JSON), a block, or `equal` blocks in a row."""

    change: Change
    field: tuple[str, str, str] | None = None
    pair: BlockPair | None = None
    equal: int = 0

    @property
    def texts(self) -> tuple[str, str]:
        """Both texts to be compared, empty where there is none."""
        if self.field is not None:
            return self.field[1], self.field[2]
        return (block_text(self.pair.before), block_text(self.pair.after)) if self.pair is not None else ("", "")


class ComparedModel(QAbstractTableModel):
    """The rows of a comparison: sign, what it is, its first words. `RowRole` gives the ComparedRow."""

    SIGN, WHAT, WORDS = range(3)
    RowRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, words: Words, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words = words
        self._diff: RequestDiff | None = None
        self._all = False
        self._rows: list[ComparedRow] = []

    def show(self, diff: RequestDiff | None, *, everything: bool = False) -> None:
        """Shows a comparison: what differs, or all blocks."""
        self.beginResetModel()
        self._diff, self._all = diff, everything
        self._rows = list(_rows(diff, everything=everything)) if diff else []
        self.endResetModel()

    def set_words(self, words: Words) -> None:
        """Changes the language."""
        self.beginResetModel()
        self._words = words
        self.endResetModel()

    @property
    def differs(self) -> bool:
        """Whether anything is not the same."""
        return self.first_difference() is not None

    def counts(self) -> dict[Change, int]:
        """How many fields and blocks there are of each change."""
        counts = dict.fromkeys(Change, 0)
        for pair in self._diff.blocks if self._diff else ():
            counts[pair.change] += 1
        counts[Change.CHANGED] += len(self._diff.params) if self._diff else 0
        return counts

    def first_difference(self) -> int | None:
        """The first row that is not the same."""
        return next((place for place, row in enumerate(self._rows) if row.change is not Change.SAME), None)

    def row(self, place: int) -> ComparedRow:
        """The row at a place."""
        return self._rows[place]

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Number of rows."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        """Three."""
        return 0 if parent.isValid() else 3

    def data(self, index: AnyIndex, role: int = 0) -> Any:
        """Texts for the cells; the whole row in one sentence for screen readers."""
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._text(row, index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignHCenter if index.column() == self.SIGN else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.AccessibleTextRole:
            what = self._words.say(f"context.compare.{row.change}")
            return " ".join(filter(None, (what, self._text(row, self.WHAT), self._text(row, self.WORDS))))
        return row if role == self.RowRole else None

    def _text(self, row: ComparedRow, column: int) -> str:
        if column == self.SIGN:
            return SIGNS[row.change]
        if row.pair is None:
            return self._other_text(row, column)
        if column == self.WHAT:
            return self._where(row.pair)
        block = row.pair.after if row.pair.after is not None else row.pair.before
        return first_words(block or {})

    def _other_text(self, row: ComparedRow, column: int) -> str:
        """A row of equal blocks, or of a field."""
        if row.field is None:
            return self._words.say("context.compare.equal", n=row.equal) if column == self.WORDS else ""
        if column == self.WHAT:
            return self._words.say("context.compare.field")
        name, before, after = (visible_line(text, 80) or "–" for text in row.field)
        return f"{name}: {before} → {after}"

    def _where(self, pair: BlockPair) -> str:
        block = pair.after if pair.after is not None else pair.before
        kind = self._words.say(block_kind(block or {}, pair.segment))
        if not isinstance(pair.part, int):
            return kind if pair.part == "tools" else self._words.say(f"context.segment.{pair.segment}")
        return self._words.say("context.compare.message", number=number(self._words, pair.part + 1), kind=kind)


def lines_of(row: ComparedRow, *, whole: bool) -> list[DiffLine]:
    """The lines of a row's two texts, what nobody could see in them made visible: all, or the first that differ.

    Of what came or went there is no first difference: it is all its lines.
    """
    before, after = (visible_text(text) for text in row.texts)
    whole = whole or not before or not after or before == after
    return diff_lines(before, after) if whole else first_lines(before, after)


def _rows(diff: RequestDiff, *, everything: bool) -> Iterator[ComparedRow]:
    for name, before, after in diff.params:
        change = Change.ADDED if not before else Change.REMOVED if not after else Change.CHANGED
        yield ComparedRow(change, (name, before, after))
    same: list[BlockPair] = []
    for pair in (*diff.blocks, None):
        if pair is not None and pair.change is Change.SAME and not everything:
            same.append(pair)
            continue
        if len(same) >= _ASIDE:
            yield ComparedRow(Change.SAME, equal=len(same))
        else:
            yield from (ComparedRow(one.change, pair=one) for one in same)
        same = []
        if pair is not None:
            yield ComparedRow(pair.change, pair=pair)


def block_text(block: Block | None) -> str:
    """A block to be read: the text of one that is nothing but text, else its JSON, indented."""
    if block is None:
        return ""
    if set(block) == {"type", "text"}:
        return str(block["text"])
    return json.dumps(block, ensure_ascii=False, indent=2)
