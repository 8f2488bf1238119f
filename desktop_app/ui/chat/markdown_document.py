"""Writes Markdown tokens to the end of a QTextDocument: text, formats and lists only, nothing that is ever loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from markdown_it.token import Token
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextListFormat,
)

from desktop_app.ui.chat.code_colours import coloured
from desktop_app.ui.chat.markdown_formats import (
    CODE_PAD,
    HEADING_GAP,
    ITEM_GAP,
    PARAGRAPH_GAP,
    Formats,
    Inline,
)
from desktop_app.ui.chat.markdown_inline import Piece, inline_pieces
from desktop_app.ui.chat.markdown_tables import rows_of, write_table
from desktop_app.ui.chat.text_limits import LINE_LIMIT
from desktop_app.ui.chat.visible_text import visible
from desktop_app.ui.chat.writing_place import Context, ListRun, Place

TABLE_LIMIT = 1_500
"""Most cells of a table drawn as one; a larger one is written as lines of text."""
_GROUP = 40

_Style = QTextListFormat.Style


class MarkdownWriter:
    """Appends parsed Markdown to `document`.

    `codes` are the code blocks so far, word for word, `code_starts` their positions in the document; `links` counts
    what may be opened.
    """

    def __init__(self, document: QTextDocument, formats: Formats, say: Callable[..., str]) -> None:
        self.document, self.formats, self._say = document, formats, say
        self.codes: list[str] = []
        self.code_starts: list[int] = []
        self.links = 0
        self._cursor = QTextCursor(document)
        self._context = Context()
        self._outer: list[Context] = []
        self._reusable, self._after_code = True, False
        self._line = 0
        self._last_run: ListRun | None = None

    def place(self) -> Place:
        """The end of the document now."""
        cursor = self._cursor
        cursor.movePosition(QTextCursor.MoveOperation.End)
        return Place(
            cursor.position(),
            cursor.blockFormat(),
            self._reusable,
            self._after_code,
            len(self.codes),
            self.links,
            self._line,
        )

    def return_to(self, place: Place) -> None:
        """Removes everything behind `place`."""
        cursor = self._cursor
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if cursor.position() != place.position:
            cursor.setPosition(place.position)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            if cursor.blockFormat() != place.block:
                cursor.setBlockFormat(place.block)
        self._reusable, self._after_code, self._line = place.reusable, place.after_code, place.line
        del self.codes[place.codes :], self.code_starts[place.codes :]
        self.links = place.links

    def write(self, tokens: Sequence[Token], continued: ListRun | None = None) -> ListRun | None:
        """Appends blocks. `continued` is the list that a list at the very front goes on with.

        Gives the list the tokens ended in, if they ended in one at the top level.
        """
        self._context, self._outer = Context(run=continued), []
        self._last_run = None
        self._cursor.beginEditBlock()
        at = 0
        while at < len(tokens):
            at = self._write_block(tokens, at)
        self._cursor.endEditBlock()
        return self._last_run

    def extend(self, text: str) -> None:
        """Appends letters as they are to the block written last."""
        self._cursor.beginEditBlock()
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._reusable:
            self._context = Context()
            self._begin(PARAGRAPH_GAP)
        self._insert([(text, self.formats.mono() if self._after_code else self.formats.text(Inline()))])
        self._cursor.endEditBlock()

    def open_code(self) -> None:
        """Begins a code block whose lines arrive later by `append_code`."""
        self._context = Context()
        self._cursor.beginEditBlock()
        self._begin_code()
        self._cursor.endEditBlock()

    def append_code(self, text: str) -> None:
        """Appends plain code to the code block begun last."""
        self.codes[-1] += text
        self.extend(text)

    def _write_block(self, tokens: Sequence[Token], at: int) -> int:
        """Writes what begins at `at`; where the next begins."""
        token, context = tokens[at], self._context
        if not token.level and token.nesting >= 0:
            self._last_run = None
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                self._open_list(token, first=at == 0)
            case "list_item_open":
                context.opening = True
            case "list_item_close":
                self._settle_mark()
            case "blockquote_open":
                self._settle_mark()
                self._outer.append(replace(context))
                context.quotes += 1
            case "bullet_list_close" | "ordered_list_close" | "blockquote_close":
                self._context = self._outer.pop()
            case "heading_open":
                self._begin(HEADING_GAP)
                self._insert(self._pieces(tokens[at + 1], int(token.tag[1])))
                return at + 3
            case "paragraph_open":
                self._begin(PARAGRAPH_GAP)
                self._insert(self._pieces(tokens[at + 1]))
                return at + 3
            case "fence" | "code_block":
                self._write_code(token)
            case "hr":
                self._settle_mark()
                form = self.formats.rule(top=self._top(HEADING_GAP), quotes=context.quotes, indent=context.indent)
                self._start_block(form, self.formats.text(Inline()))
                # Qt gives an empty block behind a table no height.
                self._cursor.insertText("\u00a0", self.formats.text(Inline()))
            case "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                self._write_table(tokens[at:end])
                return end + 1
            case _:
                pass
        return at + 1

    def _open_list(self, token: Token, *, first: bool) -> None:
        self._settle_mark()
        context = self._context
        continued = context.run if first else None
        self._outer.append(replace(context))
        context.indent += 1
        marks = QTextListFormat()
        marks.setIndent(context.indent)
        # Bullets are painted by the view; Qt sets its own too close to the text.
        ordered = token.type == "ordered_list_open"
        marks.setStyle(_Style.ListDecimal if ordered else _Style.ListStyleUndefined)
        context.run = continued or ListRun(marks, int(token.attrGet("start") or 1))

    def _settle_mark(self) -> None:
        """Gives a list item that begins with no paragraph of its own an empty one for its mark."""
        if self._context.opening:
            self._begin(PARAGRAPH_GAP)

    def _begin(self, gap: float) -> None:
        """Starts a paragraph where the context says, with the mark of a list item where one is due."""
        context = self._context
        run = context.run if context.opening else None
        if run is not None and (run.count or context.indent > 1):
            gap = ITEM_GAP
        indent = context.indent if run is None else 0
        form = self.formats.block(top=self._top(gap), quotes=context.quotes, indent=indent)
        self._start_block(form, self.formats.text(Inline()))
        if run is not None:
            context.run = self._mark(run)
            if context.indent == 1 and not context.quotes:
                self._last_run = context.run
        context.opening = False

    def _mark(self, run: ListRun) -> ListRun:
        """Makes the block just started the next item of a list."""
        group = run.group
        if group is None or run.count % _GROUP == 0:
            marks = QTextListFormat(run.marks)
            marks.setStart(run.start + run.count)
            group = self._cursor.createList(marks)
        else:
            group.add(self._cursor.block())
        return replace(run, count=run.count + 1, group=group)

    def _top(self, gap: float) -> float:
        """The margin above a block: nothing at the very top, room for the edge of a code block above."""
        if self._reusable and self._cursor.document().blockCount() == 1:
            return 0
        return max(gap, PARAGRAPH_GAP) + CODE_PAD if self._after_code else gap

    def _start_block(self, form: QTextBlockFormat, letters: QTextCharFormat) -> None:
        cursor = self._cursor
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if self._reusable:
            cursor.setBlockFormat(form)
            cursor.setBlockCharFormat(letters)
        else:
            cursor.insertBlock(form, letters)
        self._reusable, self._after_code, self._line = False, False, 0

    def _pieces(self, token: Token, heading: int = 0) -> Iterable[Piece]:
        return inline_pieces(token.children or [], self.formats, self._say, heading)

    def _insert(self, pieces: Iterable[Piece]) -> None:
        """Inserts text at the end; a line beyond the limit goes on in a further block."""
        cursor = self._cursor
        for raw, form in pieces:
            self.links += form.isAnchor()
            for number, line in enumerate(visible(raw).split("\n")):
                if number:
                    self._break(form)
                at = 0
                while self._line + len(line) - at > LINE_LIMIT:
                    end = at + LINE_LIMIT - self._line
                    cursor.insertText(line[at:end], form)
                    at = end
                    self._break(form)
                if at < len(line):
                    cursor.insertText(line[at:], form)
                    self._line += len(line) - at

    def _break(self, letters: QTextCharFormat) -> None:
        """A further line of the same paragraph or code, without a gap and without another list mark."""
        form = self._cursor.blockFormat()
        form.setTopMargin(0)
        current = self._cursor.currentList()
        if current is not None:
            form = self.formats.block(top=0, indent=current.format().indent())
            form.setLeftMargin(self._cursor.blockFormat().leftMargin())
        self._cursor.insertBlock(form, letters)
        self._line = 0

    def _write_code(self, token: Token) -> None:
        self._begin_code()
        code = token.content.removesuffix("\n")
        self.codes[-1] = code
        words = token.info.split()
        self._insert(
            (piece, self.formats.code_piece(colour)) for piece, colour in coloured(code, words[0] if words else "")
        )

    def _begin_code(self) -> None:
        self._settle_mark()
        context = self._context
        gap = CODE_PAD if self._top(1) == 0 else self._top(PARAGRAPH_GAP) + CODE_PAD
        self.codes.append("")
        form = self.formats.code_line(len(self.codes), top=gap, quotes=context.quotes, indent=context.indent)
        self._start_block(form, self.formats.mono())
        self.code_starts.append(self._cursor.position())
        self._after_code = True

    def _write_table(self, tokens: Sequence[Token]) -> None:
        self._settle_mark()
        rows = rows_of(tokens)
        if sum(len(row) for row in rows) > TABLE_LIMIT:
            self._begin(PARAGRAPH_GAP)
            lines = (" | ".join(cell.token.content for cell in row) for row in rows)
            self._insert([("\n".join(lines), self.formats.mono())])
            return
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        top = self._top(PARAGRAPH_GAP)
        write_table(self._cursor, rows, self.formats, top, self._pieces)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._cursor.setBlockFormat(QTextBlockFormat())
        self._reusable, self._after_code, self._line = True, False, 0
