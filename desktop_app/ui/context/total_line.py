"""The big figure of a budget, the share of the window, and how it is known."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.core.context_budget import Budget
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class TotalLine(QWidget):
    """`≈ 61,204 of 1,000,000 tokens · 6.1 %` and a tag: estimated, counted or measured."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self.big = PlainLabel()
        self.of_window = PlainLabel(tone="muted")
        self.tag = PlainLabel(tone="tag")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(self.big, 0, Qt.AlignmentFlag.AlignBottom)
        self.of_window.setContentsMargins(0, 0, 0, 4)
        layout.addWidget(self.of_window, 0, Qt.AlignmentFlag.AlignBottom)
        layout.addStretch()
        layout.addWidget(self.tag, 0, Qt.AlignmentFlag.AlignVCenter)
        keep_font(self.big, theme, 23, QFont.Weight.DemiBold)

    def show_budget(self, budget: Budget | None) -> None:
        """Shows a budget; without one it says that nothing was sent yet."""
        say, language = self._language.say, self._language
        self.big.setVisible(budget is not None)
        self.tag.setVisible(budget is not None)
        if budget is None:
            self.of_window.setText(say("context.last_none"))
            return
        self.big.setText(language.marked(budget.total))
        self.tag.setText(say(f"context.known_{budget.total.known}"))
        set_tooltip(self.tag, say(f"context.known_{budget.total.known}_hint"))
        if budget.window:
            share = language.percent(budget.total.tokens / budget.window)
            self.of_window.setText(say("context.of_window", window=language.number(budget.window), share=share))
        else:
            self.of_window.setText(say("context.tokens_only"))
