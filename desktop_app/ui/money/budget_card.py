"""The monthly budget: a bar of what is spent of it, and the field it is set in."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from desktop_app.bridge.spending_models import budget_text
from desktop_app.core.money.monthly_budget import LEVELS, BudgetState
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel

_FIELD = 96
_COLOURS = {0: "accent", 80: "warning_mark", 100: "danger"}


class SpentBar(QWidget):
    """The share of the budget that is spent, with a tick where the first warning comes."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.share, self.level = 0.0, 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_budget(self, state: BudgetState) -> None:
        """Shows a month."""
        self.share, self.level = min(state.share or 0.0, 1.0), state.level
        self.update()

    def sizeHint(self) -> QSize:
        """A thin bar."""
        return QSize(200, 8)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Track, share and tick."""
        tokens = self._theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        shape = QPainterPath()
        shape.addRoundedRect(QRectF(self.rect()), 4, 4)
        painter.setClipPath(shape)
        painter.fillRect(self.rect(), tokens.color("track"))
        if self.share:
            width = max(self.share * self.width(), 2.0)
            painter.fillRect(QRectF(0, 0, width, self.height()), tokens.color(_COLOURS[self.level]))
        tick = self.width() * min(LEVELS) / 100
        painter.fillRect(QRectF(tick, 0, 1.5, self.height()), tokens.color("muted"))


class BudgetCard(QFrame):
    """`budgetGiven(text)` when another amount is set; `refuse` tells why it cannot be."""

    budgetGiven = Signal(str)

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._state: BudgetState | None = None
        self.setProperty("role", "card")
        self.title, self.spent = PlainLabel(tone="heading"), PlainLabel(wrap=True)
        self.hint, self.refused = PlainLabel(tone="muted", wrap=True), PlainLabel(tone="danger", wrap=True)
        self.currency = PlainLabel("$", tone="muted")
        self.field, self.button = QLineEdit(), TextButton()
        self.field.setFixedWidth(_FIELD)
        self.field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.bar = SpentBar(theme)
        self._arrange()
        self.refused.hide()
        self.button.clicked.connect(self._give)
        self.field.returnPressed.connect(self._give)
        self.field.textEdited.connect(self._on_edited)
        language.changed.connect(self.say)
        self.say()

    def show_budget(self, state: BudgetState) -> None:
        """Shows a month; what is being typed stays."""
        self._state = state
        self.bar.show_budget(state)
        self.bar.setVisible(state.limit is not None)
        if not self.field.isModified():
            self.field.setText("" if state.limit is None else f"{state.limit:,f}")
        self.say()

    def take(self) -> None:
        """What was typed is the budget now."""
        self.field.setModified(False)
        self.refused.hide()

    def refuse(self, why: str) -> None:
        """What was typed cannot be one."""
        self.refused.setText(why)
        self.refused.show()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        self.field.selectAll()

    def say(self) -> None:
        """Everything in the language in use."""
        say, state = self._language.say, self._state
        self.title.setText(say("money.budget"))
        self.hint.setText(say("money.budget_hint"))
        self.field.setPlaceholderText(say("money.budget_none"))
        self.field.setAccessibleName(say("money.budget_field"))
        self.field.setAccessibleDescription(say("money.budget_hint"))
        self.button.set_words(say("money.budget_set"))
        text = budget_text(self._language.words, state) if state else ""
        self.spent.setText(text)
        self.bar.setAccessibleName(text)

    def _arrange(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self.title, 1)
        for control in (self.currency, self.field, self.button):
            head.addWidget(control)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 10, 14, 12)
        layout.setSpacing(7)
        layout.addLayout(head)
        for part in (self.refused, self.bar, self.spent, self.hint):
            layout.addWidget(part)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def _give(self) -> None:
        self.budgetGiven.emit(self.field.text())

    def _on_edited(self) -> None:
        self.refused.hide()
