"""A bar of the context by segment, and the legend that names its stretches."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QHelpEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.flow_line import FlowLine

Rows = Sequence[tuple[Segment, int]]
_HEIGHT = 18
_LETTERS = 11.5
_SAME = 0.01
"""The share two estimates of the same may differ by."""


class SegmentBar(QWidget):
    """`rows` in tokens, drawn to the scale of `whole` tokens."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.rows: tuple[tuple[Segment, int], ...] = ()
        self.whole = 1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def share(self) -> float:
        """How much of the bar is filled, 0 to 1."""
        return min(1.0, sum(tokens for _, tokens in self.rows) / self.whole)

    def show_rows(self, rows: Rows, whole: int) -> None:
        """Other figures."""
        self.rows, self.whole = tuple(rows), max(whole, 1)
        self.update()

    def sizeHint(self) -> QSize:
        """A line."""
        return QSize(320, _HEIGHT)

    def event(self, event: QEvent) -> bool:
        """Names the stretch under the pointer."""
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            words = self.words_at(event.pos().x() / max(self.width(), 1))
            QToolTip.showText(event.globalPos(), f"<span>{escape(words)}</span>", self)
            return True
        return super().event(event)

    def words_at(self, share: float) -> str:
        """What stands at a share of the width: a segment and its tokens, or what the bar says as a whole."""
        at = 0
        for segment, tokens in self.rows:
            at += tokens
            if share * self.whole <= at:
                return part_words(self._language, segment, tokens)
        return self.accessibleName()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Track and stretches, a hair between them."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        left, wide = 0.0, self.width() / self.whole
        for segment, count in self.rows:
            if count <= 0:
                continue
            stretch = max(count * wide, 2.0)
            painter.fillRect(QRectF(left, 0, stretch, self.height()), tokens.segment(segment))
            left += stretch
            painter.fillRect(QRectF(left - 1, 0, 1, self.height()), tokens.color("window"))
        painter.setClipping(False)
        painter.setPen(QPen(tokens.color("line"), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()


class LegendMark(QWidget):
    """A square in the colour of a segment and what it holds."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._segment, self.words = Segment.MESSAGES, ""
        theme.changed.connect(self.updateGeometry)

    def show_part(self, segment: Segment, words: str) -> None:
        """Another segment."""
        self._segment, self.words = segment, words
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as its words."""
        metrics = QFontMetrics(self._theme.panel_font(size=_LETTERS))
        return QSize(metrics.horizontalAdvance(self.words) + 15, metrics.height() + 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Square and words."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setFont(self._theme.panel_font(size=_LETTERS))
        painter.fillRect(QRectF(0, (self.height() - 9) / 2, 9, 9), tokens.segment(self._segment))
        painter.setPen(tokens.color("muted"))
        box = QRectF(14, 0, self.width() - 14, self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.words)
        painter.end()


class SegmentLegend(QWidget):
    """Names the segments with what each held and holds then."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self.marks: list[LegendMark] = []
        self._line = FlowLine(self, gap=10, line_gap=1)

    def show_rows(self, before: Rows, after: Rows) -> None:
        """What each segment held before and after, in the order of the prefix."""
        was, now = dict(before), dict(after)
        segments = [one for one in Segment if was.get(one, 0) or now.get(one, 0)]
        while len(self.marks) < len(segments):
            self.marks.append(LegendMark(self._theme))
            self._line.addWidget(self.marks[-1])
        for place, mark in enumerate(self.marks):
            mark.setVisible(place < len(segments))
            if place < len(segments):
                one = segments[place]
                mark.show_part(one, self._words(one, was.get(one, 0), now.get(one, 0)))
        self.setVisible(bool(segments))

    def _words(self, segment: Segment, was: int, now: int) -> str:
        number, say = self._language.number, self._language.say
        name = say(f"context.segment.{segment}")
        if abs(was - now) <= max(was, now) * _SAME:
            return say("compaction.bars.same", name=name, tokens=number(now))
        return say("compaction.bars.part", name=name, before=number(was), after=number(now))


def part_words(language: Language, segment: Segment, tokens: int) -> str:
    """`messages 20,110`."""
    name = language.say(f"context.segment.{segment}")
    return language.say("budget.part", name=name, tokens=language.number(tokens))
