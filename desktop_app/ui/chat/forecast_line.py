"""What the next message would cost: tokens with how they are known, and their share of the window."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop_app.core.context_budget import Budget
from desktop_app.core.usage import Known
from desktop_app.ui.fonts import SMALL
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.plain_label import PlainLabel


class ForecastLine(QWidget):
    """One muted line; a warning where the request does not fit the window."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._budget: Budget | None = None
        self.tokens = PlainLabel(tone="muted")
        self.share = PlainLabel(tone="muted")
        self.over = PlainLabel(tone="warning")
        line = QHBoxLayout(self)
        line.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(12)
        for label in (self.tokens, self.share, self.over):
            label.setAlignment(Qt.AlignmentFlag.AlignVCenter)
            line.addWidget(label)
        line.addStretch(1)
        theme.changed.connect(self._refont)
        language.changed.connect(self._retranslate)
        self._refont()
        self._retranslate()

    def set_budget(self, budget: Budget | None) -> None:
        """The next request, or nothing while it is unknown."""
        if budget != self._budget:
            self._budget = budget
            self._retranslate()

    def minimumSizeHint(self) -> QSize:
        """Room for a part; what does not fit is left away, the warning last."""
        return QSize(60, super().sizeHint().height())

    def resizeEvent(self, _event: QResizeEvent) -> None:
        """Fits the parts to the room."""
        self._choose()

    def _choose(self) -> None:
        room = self.width()
        for label in (self.over, self.tokens, self.share):
            wanted = self._budget is not None and bool(label.text())
            label.setVisible(wanted and label.sizeHint().width() <= room)
            room -= label.sizeHint().width() + 12 if wanted else 0

    def _retranslate(self) -> None:
        budget, say = self._budget, self._language.say
        if budget is None:
            self._choose()
            return
        number = self._language.number
        exact = budget.total.known is not Known.ESTIMATED
        words = "composer.next_exact" if exact else "composer.next"
        self.tokens.setText(
            say(words, tokens=number(budget.total.tokens) if exact else self._language.marked(budget.total))
        )
        if budget.window:
            share = self._language.percent(budget.total.tokens / budget.window)
            self.share.setText(say("composer.share", share=share, window=number(budget.window)))
        else:
            self.share.setText(say("composer.window_unknown"))
        short = -budget.free if budget.free is not None and budget.free < 0 else 0
        self.over.setText(say("composer.over", count=number(short)) if short else "")
        self._choose()

    def _refont(self) -> None:
        for label in (self.tokens, self.share, self.over):
            label.setFont(self._theme.panel_font(size=SMALL))
