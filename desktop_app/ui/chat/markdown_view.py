"""One Markdown text on the surface: painted code blocks, quotes and rules, copy buttons, links that ask first."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QPainter, QPaintEvent, QPen, QTextBlock, QTextListFormat
from PySide6.QtWidgets import QWidget

from desktop_app.ui.chat.flow_text import FlowText
from desktop_app.ui.chat.markdown_document import MarkdownWriter
from desktop_app.ui.chat.markdown_formats import (
    CODE,
    CODE_INDENT,
    CODE_PAD,
    QUOTE,
    QUOTE_INDENT,
    RULE,
    Formats,
)
from desktop_app.ui.chat.streaming_markdown import StreamingMarkdown
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import IconButton

_SLICE = 8_000
_BUTTON = 24


class MarkdownView(FlowText):
    """Shows Markdown, whole by `set_markdown` or growing by `append` and `finish`."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(theme, language, parent)
        self.document().setDefaultFont(theme.chat_font())
        self.setFont(theme.chat_font())
        self._buttons: list[IconButton] = []
        self._rest = ""
        self._stale = False
        self._slices = QTimer(self)
        self._slices.setInterval(0)
        self._slices.timeout.connect(self._show_slice)
        self._copied = QTimer(self)
        self._copied.setSingleShot(True)
        self._copied.setInterval(1200)
        self._copied.timeout.connect(self._end_copied)
        self._caret = False
        self._restart()
        theme.changed.connect(self._go_stale)
        language.changed.connect(self._go_stale)

    @property
    def markdown(self) -> str:
        """The Markdown shown or still to be shown."""
        return self._stream.source + self._rest

    @property
    def hidden_characters(self) -> int:
        """How many characters of the text are not shown."""
        return self._stream.cut

    def set_markdown(self, text: str) -> None:
        """Shows a whole text; a long one arrives in slices, so that the window stays alive."""
        self._slices.stop()
        self._rest = ""
        if len(text) <= _SLICE:
            self._stream.render(text)
            self._after_change()
            return
        self._stream.begin(text)
        self._rest = text
        self._show_slice()
        if self._rest:
            self._slices.start()

    def append(self, text: str) -> None:
        """A further piece of a text that is arriving."""
        if self._rest:
            self._rest += text
            return
        self._stream.append(text)
        self._after_change()

    def finish(self) -> None:
        """The text is whole."""
        if not self._rest:
            self._stream.finish()
            self._after_change()

    def set_caret(self, shown: bool) -> None:
        """Whether a mark behind the last letter says that more is coming."""
        if shown != self._caret:
            self._caret = shown
            self.viewport().update()

    def extra_height(self) -> int:
        """The lower edge of a code block that ends the text."""
        return CODE_PAD if self.document().lastBlock().blockFormat().hasProperty(CODE) else 0

    def paintEvent(self, event: QPaintEvent) -> None:
        """Edges of code, quotes and rules below the letters, the caret above them."""
        if self._stale:
            self._stale = False
            QTimer.singleShot(0, self, self._write_again)
        painter = QPainter(self.viewport())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(event.rect())
        for area in self._code_areas(event.rect().top(), event.rect().bottom()):
            painter.setPen(QPen(self._theme.tokens.color("line"), 1))
            painter.setBrush(self._theme.tokens.color("code"))
            painter.drawRoundedRect(area, 7, 7)
        self._paint_lines(painter, event)
        painter.end()
        super().paintEvent(event)
        if self._caret:
            self._paint_caret()

    def code_buttons(self) -> list[IconButton]:
        """The copy buttons in the order of the code blocks."""
        return list(self._buttons)

    # -- writing

    def _restart(self) -> None:
        while self._buttons:
            self._buttons.pop().deleteLater()
        self.clear()
        self._writer = MarkdownWriter(self.document(), Formats(self._theme), self._language.say)
        self._stream = StreamingMarkdown(self._writer)

    def _show_slice(self) -> None:
        piece, self._rest = self._rest[:_SLICE], self._rest[_SLICE:]
        self._stream.append(piece)
        if not self._rest:
            self._slices.stop()
            self._stream.finish()
        self._after_change()

    def _go_stale(self) -> None:
        """Colours and our words in the text are written anew, at once where they can be seen."""
        self.set_text_font(self._theme.chat_font())
        for button in self._buttons:
            button.set_name(self._language.say("markdown.copy_code"))
        if self.visibleRegion().isEmpty():
            self._stale = True
        else:
            self._write_again()

    def _write_again(self) -> None:
        text, growing = self.markdown, self._caret
        self._restart()
        if growing:
            self._stream.append(text)
            self._after_change()
        else:
            self.set_markdown(text)

    def _after_change(self) -> None:
        self.fit()
        self._place_buttons()
        has_links = self._writer.links > 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if has_links else Qt.FocusPolicy.ClickFocus)
        self.viewport().update()

    # -- code blocks

    def _blocks(self, top: float, bottom: float) -> Iterator[tuple[QTextBlock, QRectF]]:
        """Blocks between two heights with their areas."""
        layout = self.document().documentLayout()
        block = self.cursorForPosition(QPointF(0, max(top, 0)).toPoint()).block()
        while block.isValid():
            area = layout.blockBoundingRect(block)
            if area.top() > bottom + 40:
                return
            yield block, area
            block = block.next()

    def _code_areas(self, top: float, bottom: float) -> Iterator[QRectF]:
        """The area of each code block that reaches between two heights."""
        number, left, upper, lower = 0, 0.0, 0.0, 0.0
        for block, area in self._blocks(top, bottom):
            found = int(block.blockFormat().property(CODE) or 0)
            if found != number and number:
                yield self._code_area(left, upper, lower)
                number = 0
            if found and not number:
                first = self.document().findBlock(self._writer.code_starts[found - 1])
                upper = self.document().documentLayout().blockBoundingRect(first).top()
                number, left = found, self._left(block)
            lower = area.bottom()
        if number:
            yield self._code_area(left, upper, lower)

    def _left(self, block: QTextBlock) -> float:
        form = block.blockFormat()
        return form.leftMargin() + form.indent() * self.document().indentWidth() - CODE_INDENT

    def _code_area(self, left: float, upper: float, lower: float) -> QRectF:
        width = self.document().textWidth()
        return QRectF(left + 0.5, upper - CODE_PAD + 0.5, width - left - 1, lower - upper + 2 * CODE_PAD - 1)

    def _paint_lines(self, painter: QPainter, event: QPaintEvent) -> None:
        colour = self._theme.tokens.color("line")
        for block, area in self._blocks(event.rect().top(), event.rect().bottom()):
            form = block.blockFormat()
            for depth in range(int(form.property(QUOTE) or 0)):
                above = form.topMargin() if block.previous().blockFormat().hasProperty(QUOTE) else 0
                bar = QRectF(depth * QUOTE_INDENT, area.top() - above, 3, area.height() + above)
                painter.fillRect(bar, colour)
            self._paint_bullet(painter, block, area)
            if form.property(RULE):
                middle = round(area.center().y())
                painter.fillRect(QRectF(self._left(block) + CODE_INDENT, middle, area.width(), 1), colour)

    def _paint_bullet(self, painter: QPainter, block: QTextBlock, area: QRectF) -> None:
        group = block.textList()
        if group is None or group.format().style() != QTextListFormat.Style.ListStyleUndefined:
            return
        depth = group.format().indent()
        left = block.blockFormat().leftMargin() + depth * self.document().indentWidth() - 12
        middle = area.top() + self.fontMetrics().height() / 2 + 1
        colour = self._theme.tokens.color("muted")
        painter.setPen(QPen(colour, 1.2))
        painter.setBrush(colour if depth % 2 else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(left, middle), 2.2, 2.2)

    def _place_buttons(self) -> None:
        """One copy button in the upper right corner of each code block."""
        codes = self._writer.codes
        while len(self._buttons) > len(codes):
            self._buttons.pop().deleteLater()
        while len(self._buttons) < len(codes):
            button = IconButton(self._theme, "copy", self._language.say("markdown.copy_code"), parent=self.viewport())
            button.setFixedSize(_BUTTON, _BUTTON)
            button.setProperty("number", len(self._buttons))
            button.clicked.connect(self._copy_code)
            button.show()
            self._buttons.append(button)
        layout = self.document().documentLayout()
        left = int(self.document().textWidth()) - _BUTTON - 5
        for button, start in zip(self._buttons, self._writer.code_starts, strict=True):
            # What was placed stays where it is: text only grows at its end.
            if button.property("start") == start and button.x() == left:
                continue
            button.setProperty("start", start)
            top = layout.blockBoundingRect(self.document().findBlock(start)).top() - CODE_PAD
            button.move(left, int(top) + 5)

    def _copy_code(self) -> None:
        button = self.sender()
        if isinstance(button, IconButton):
            QGuiApplication.clipboard().setText(self._writer.codes[int(button.property("number"))])
            self._end_copied()
            button.set_icon("check", "good")
            self._copied.start()

    def _end_copied(self) -> None:
        for button in self._buttons:
            button.set_icon("copy", "muted")

    def _paint_caret(self) -> None:
        cursor = self.textCursor()
        cursor.movePosition(cursor.MoveOperation.End)
        area = self.cursorRect(cursor)
        painter = QPainter(self.viewport())
        painter.fillRect(QRectF(area.right() + 2, area.top() + 2, 7, 15), self._theme.tokens.color("accent"))
        painter.end()
