"""The big figure of a budget, the share of the window, and how it is known."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.core.context_budget import Budget
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import ElidedLabel, PlainLabel, set_tooltip


class TotalLine(QWidget):
    """`≈ 61,204 of 1,000,000 tokens · 6.1 %` and a tag: estimated, counted or measured."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.big = PlainLabel()
        self.of_window = ElidedLabel(tone="muted")
        self._wordings: tuple[str, ...] = ("",)
        self.tag = PlainLabel(tone="tag")
        layout = self._line = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.big, 0, Qt.AlignmentFlag.AlignBottom)
        self.of_window.setContentsMargins(0, 0, 0, 4)
        layout.addWidget(self.of_window, 1, Qt.AlignmentFlag.AlignBottom)
        layout.addWidget(self.tag, 0, Qt.AlignmentFlag.AlignVCenter)
        keep_font(self.big, theme, 23, QFont.Weight.DemiBold)

    def show_budget(self, budget: Budget | None) -> None:
        """Shows a budget; without one it says that nothing was sent yet."""
        say, language = self._language.say, self._language
        self.big.setVisible(budget is not None)
        self.tag.setVisible(budget is not None)
        if budget is None:
            self._choose(say("context.last_none"))
            return
        self.big.setText(language.marked(budget.total))
        self.tag.setText(say(f"context.known_{budget.total.known}"))
        set_tooltip(self.tag, say(f"context.known_{budget.total.known}_hint"))
        if budget.window:
            share = language.percent(budget.total.tokens / budget.window)
            window = language.number(budget.window)
            names = ("context.of_window", "context.of_window_short")
            self._choose(*(say(name, window=window, share=share) for name in names), share)
        else:
            self._choose(say("context.tokens_only"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Shorter words where there is little room."""
        super().resizeEvent(event)
        self._choose(*self._wordings)

    def _choose(self, *wordings: str) -> None:
        self._wordings = wordings
        self._line.activate()
        metrics = self.of_window.fontMetrics()
        fitting = (one for one in wordings if metrics.horizontalAdvance(one) <= self.of_window.width())
        self.of_window.set_whole(next(fitting, wordings[-1]))
        set_tooltip(self.of_window, wordings[0] if self.of_window.text() != wordings[0] else "")
