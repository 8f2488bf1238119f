"""Tables of Markdown as tables of a QTextDocument, never wider than the column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextBlockFormat, QTextCursor

from desktop_app.ui.chat.markdown_formats import Formats
from desktop_app.ui.chat.markdown_inline import Piece
from desktop_app.ui.chat.visible_text import visible

_SIDES = {"right": Qt.AlignmentFlag.AlignRight, "center": Qt.AlignmentFlag.AlignHCenter}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its inline token, whether it heads a column, the side it leans to."""

    token: Token
    head: bool
    side: str


def rows_of(tokens: Sequence[Token]) -> list[list[Cell]]:
    """The cells between `table_open` and `table_close`, row by row."""
    rows: list[list[Cell]] = []
    for at, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            side = str(token.attrGet("style") or "").rpartition(":")[2].strip()
            rows[-1].append(Cell(tokens[at + 1], token.type == "th_open", side))
    return rows


def write_table(
    cursor: QTextCursor,
    rows: Sequence[Sequence[Cell]],
    formats: Formats,
    top: float,
    pieces: Callable[[Token], Iterable[Piece]],
) -> None:
    """Inserts a table at the cursor."""
    columns = max(len(row) for row in rows)
    table = cursor.insertTable(len(rows), columns, formats.table(top=top))
    for down, row in enumerate(rows):
        for across, cell in enumerate(row):
            inside = table.cellAt(down, across).firstCursorPosition()
            block = QTextBlockFormat()
            block.setAlignment(_SIDES.get(cell.side, Qt.AlignmentFlag.AlignLeft))
            inside.setBlockFormat(block)
            for text, form in pieces(cell.token):
                if cell.head:
                    form.setFontWeight(QFont.Weight.DemiBold)
                inside.insertText(visible(text), form)
