"""The bar of a context budget: one stretch for each segment, the output reserve hatched, the rest free."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QHelpEvent, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from desktop_app.core.context_budget import Budget
from desktop_app.core.segment import Segment
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme

_STEPS = (1, 2, 5)
_ROOM = 1.25


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the bar, from `left` to `right` as shares of its width; `segment` None is the reserve."""

    segment: Segment | None
    tokens: int
    left: float
    right: float


class BudgetBar(QWidget):
    """Paints a budget. `scale`: `window` (the whole window is the bar) or `fit` (a round number above the input)."""

    def __init__(self, theme: Theme, language: Language, height: int = 5, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._budget: Budget | None = None
        self._scale = "fit"
        self._bar_height = height
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)
        language.changed.connect(self._describe)
        self._describe()

    def set_budget(self, budget: Budget | None) -> None:
        """Shows a budget, or an empty track."""
        if budget != self._budget:
            self._budget = budget
            self._describe()
            self.update()

    def set_scale(self, scale: str) -> None:
        """`window` or `fit`."""
        self._scale = scale
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(320, self._bar_height)

    def stretches(self) -> list[Stretch]:
        """What is painted, from left to right."""
        budget = self._budget
        if budget is None or budget.total.tokens <= 0:
            return []
        whole = bar_end(budget, self._scale)
        found: list[Stretch] = []
        at = 0
        parts: list[tuple[Segment | None, int]] = [(row.segment, row.figure.tokens) for row in budget.rows]
        for segment, tokens in [*parts, (None, budget.reserve)]:
            if tokens > 0 and at < whole:
                found.append(Stretch(segment, tokens, at / whole, min(1.0, (at + tokens) / whole)))
            at += tokens
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        radius = 2.5 if self._bar_height < 10 else 5.0
        shape.addRoundedRect(QRectF(self.rect()), radius, radius)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        for stretch in self.stretches():
            left, right = stretch.left * self.width(), stretch.right * self.width()
            area = QRectF(left, 0, max(right - left, 1.0), self.height())
            if stretch.segment is None:
                painter.fillRect(area, QBrush(tokens.color("muted"), Qt.BrushStyle.BDiagPattern))
                continue
            painter.fillRect(area, tokens.segment(stretch.segment))
            if right - left > 3:
                painter.fillRect(QRectF(right - 1, 0, 1, self.height()), tokens.color("surface"))
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self._budget:
            words = self._words_at(event.pos().x() / max(self.width(), 1))
            QToolTip.showText(event.globalPos(), f"<span>{escape(words)}</span>", self)
            return True
        return super().event(event)

    def _words_at(self, share: float) -> str:
        say, number = self._language.say, self._language.number
        for stretch in self.stretches():
            if stretch.left <= share <= stretch.right:
                name = say(f"context.segment.{stretch.segment.value if stretch.segment else 'reserve'}")
                return say("budget.part", name=name, tokens=number(stretch.tokens))
        return self.accessibleName()

    def _describe(self) -> None:
        budget = self._budget
        if budget is None:
            self.setAccessibleName(self._language.say("budget.empty"))
            return
        self.setAccessibleName(
            self._language.say(
                "budget.bar",
                tokens=self._language.marked(budget.total),
                end=self._language.number(bar_end(budget, self._scale)),
            )
        )


def bar_end(budget: Budget, scale: str = "fit") -> int:
    """Tokens the full width stands for: the window, or the first of 100, 200, 500 … well above the input.

    The output reserve does not count: it is often many times the input and would leave a sliver of it.
    """
    if scale == "window" and budget.window:
        return max(budget.window, 1)
    wanted = budget.total.tokens * _ROOM
    size = 100
    while True:
        for step in _STEPS:
            if step * size >= wanted:
                return min(step * size, budget.window) if budget.window else step * size
        size *= 10
