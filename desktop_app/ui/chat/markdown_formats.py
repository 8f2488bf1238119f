"""How Markdown looks in a QTextDocument: block and character formats made from a theme."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QTextBlockFormat, QTextCharFormat, QTextFormat, QTextLength, QTextTableFormat

from desktop_app.ui.theme import Theme

_USER = int(QTextFormat.Property.UserProperty.value)
CODE = _USER + 1
"""Block property: the number of the code block a line belongs to (from 1)."""
QUOTE = _USER + 2
"""Block property: how many quotes a block stands in."""
RULE = _USER + 3
"""Block property: the block is a rule."""

PARAGRAPH_GAP = 9
ITEM_GAP = 4
HEADING_GAP = 16
CODE_PAD = 10
CODE_INDENT = 14
QUOTE_INDENT = 16
LIST_INDENT = 24
_TEXT_LINE = 124.0
_CODE_LINE = 126.0


@dataclass(frozen=True, slots=True)
class Inline:
    """What is switched on at one place of a line."""

    strong: bool = False
    emphasis: bool = False
    struck: bool = False
    target: str = ""


class Formats:
    """The formats of one theme."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self.tokens = theme.tokens
        self._mono = theme.mono_font()
        self._code: dict[str, QTextCharFormat] = {}

    def block(self, *, top: float, quotes: int = 0, indent: int = 0) -> QTextBlockFormat:
        """A paragraph `indent` lists and `quotes` quotes deep, `top` pixels below what stands above it."""
        form = QTextBlockFormat()
        form.setTopMargin(top)
        form.setIndent(indent)
        form.setLineHeight(_TEXT_LINE, int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value))
        if quotes:
            form.setLeftMargin(quotes * QUOTE_INDENT)
            form.setProperty(QUOTE, quotes)
        return form

    def code_line(self, number: int, *, top: float, quotes: int, indent: int) -> QTextBlockFormat:
        """One line of code block `number`."""
        form = self.block(top=top, quotes=quotes, indent=indent)
        form.setLeftMargin(quotes * QUOTE_INDENT + CODE_INDENT)
        form.setRightMargin(CODE_INDENT)
        form.setLineHeight(_CODE_LINE, int(QTextBlockFormat.LineHeightTypes.ProportionalHeight.value))
        form.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        form.setProperty(CODE, number)
        return form

    def rule(self, *, top: float, quotes: int, indent: int) -> QTextBlockFormat:
        """A horizontal line."""
        form = self.block(top=top, quotes=quotes, indent=indent)
        form.setProperty(RULE, True)
        return form

    def text(self, inline: Inline, *, heading: int = 0) -> QTextCharFormat:
        """Letters of running text; headings differ by weight."""
        form = QTextCharFormat()
        if heading:
            form.setFontWeight(QFont.Weight.Bold if heading <= 2 else QFont.Weight.DemiBold)
        if inline.strong:
            form.setFontWeight(QFont.Weight.Bold)
        if inline.emphasis:
            form.setFontItalic(True)
        if inline.struck:
            form.setFontStrikeOut(True)
        if inline.target:
            form.setAnchor(True)
            form.setAnchorHref(inline.target)
            form.setForeground(self.tokens.color("accent"))
            form.setFontUnderline(True)
        return form

    def mono(self, inline: Inline | None = None) -> QTextCharFormat:
        """Letters of code."""
        form = self.text(inline or Inline())
        form.setFontFamilies(self._mono.families())
        form.setFontPointSize(self._mono.pointSizeF())
        form.setFontFixedPitch(True)
        return form

    def code_piece(self, colour: str) -> QTextCharFormat:
        """Letters of highlighted code, by a name of CodeColours."""
        if colour not in self._code:
            form = self.mono()
            if colour:
                form.setForeground(QColor(getattr(self.tokens.syntax, colour)))
            self._code[colour] = form
        return self._code[colour]

    def muted(self) -> QTextCharFormat:
        """Words of ours inside a text of somebody else."""
        form = QTextCharFormat()
        form.setForeground(self.tokens.color("muted"))
        return form

    def table(self, *, top: float) -> QTextTableFormat:
        """A table with one line between its cells, never wider than the column."""
        form = QTextTableFormat()
        form.setBorder(1)
        form.setBorderCollapse(True)
        form.setBorderStyle(QTextTableFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(self.tokens.color("line"))
        form.setCellPadding(6)
        form.setCellSpacing(0)
        form.setTopMargin(top)
        form.setBottomMargin(CODE_PAD + 6)  # what follows a table leaves no room above itself
        form.setWidth(QTextLength())
        form.setHeaderRowCount(1)
        return form
