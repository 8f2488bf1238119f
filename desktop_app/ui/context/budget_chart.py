"""The bar of the Context panel with its scale: up to a round number above the input, or the whole window."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.core.context_budget import Budget
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.budget_bar import BudgetBar, bar_end
from desktop_app.ui.widgets.choice_button import ChoiceButton
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

SCALES = ("fit", "window")


class BudgetChart(QWidget):
    """Bar, scale chooser and where the bar ends; the same facts stand in the table below."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._budget: Budget | None = None
        self.bar = BudgetBar(theme, language, height=22)
        self.scale = ChoiceButton(theme, kind="scale")
        self.end = PlainLabel(tone="muted")
        below = QHBoxLayout()
        below.addWidget(self.scale)
        below.addStretch()
        below.addWidget(self.end)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self.bar)
        layout.addLayout(below)
        self.scale.chosen.connect(self._on_scale)
        language.changed.connect(self._say)
        self._say()

    def show_budget(self, budget: Budget | None) -> None:
        """Shows a budget; without a known window there is only one scale."""
        self._budget = budget
        self.bar.set_budget(budget)
        self._say()

    def set_scale(self, scale: str) -> None:
        """`fit` or `window`."""
        self.scale.take(scale)

    def _on_scale(self, scale: str) -> None:
        self.bar.set_scale(scale)
        self._say()

    def _say(self) -> None:
        say = self._language.say
        value = self.scale.value or SCALES[0]
        choices = [(scale, say(f"context.scale_{scale}")) for scale in SCALES]
        shown = say("context.scale", scale=dict(choices)[str(value)])
        self.scale.set_choices(choices, value, say("context.scale_name"), shown)
        set_tooltip(self.scale, say(f"context.scale_{value}_hint"))
        budget = self._budget
        self.scale.setVisible(budget is not None and budget.window is not None)
        ending = "" if budget is None else self._language.number(bar_end(budget, str(value)))
        self.end.setText(say("context.scale_end", tokens=ending) if ending else "")
