"""Which lifetime of the cache fits the pauses a person makes, and a button to use it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import money
from desktop_app.core.cache.lifetime_advice import LifetimeAdvice
from desktop_app.ui.language import Language
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.plain_label import PlainLabel


class AdviceCard(QFrame):
    """`lifetimeAsked(choice)` when the button is pressed; hidden while too little is known."""

    lifetimeAsked = Signal(str)

    def __init__(self, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._compared: LifetimeAdvice | None = None
        self.setProperty("role", "card")
        self.text = PlainLabel(wrap=True)
        self.costs = PlainLabel(tone="muted", wrap=True)
        self.use = TextButton()
        head = QHBoxLayout()
        head.setSpacing(12)
        head.addWidget(self.text, 1)
        head.addWidget(self.use)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self.costs)
        self.use.clicked.connect(self._ask)

    def show_comparison(self, compared: LifetimeAdvice | None) -> None:
        """Shows what each lifetime would have cost; the button only where a change is worth it."""
        self._compared = compared
        self.say()

    def say(self) -> None:
        """Everything in the language in use."""
        say, words, compared = self._language.say, self._language.words, self._compared
        self.setVisible(compared is not None)
        if compared is None:
            return
        pause = self._language.seconds(compared.pause.total_seconds())
        self.use.setVisible(compared.worthwhile)
        if compared.worthwhile:
            choice, usd = say(f"cache.choice.{compared.best}"), money(words, compared.saves)
            self.text.setText(say("cache.advice.better", pause=pause, choice=choice, usd=usd))
            self.use.set_words(say("cache.advice.use", choice=say(f"cache.use.{compared.best}")))
        else:
            choice = say(f"cache.choice.{compared.current}")
            self.text.setText(say("cache.advice.fits", pause=pause, choice=choice))
        five, head, hour = (money(words, compared.costs[name]) for name in ("5m", "head", "1h"))
        requests = self._language.number(compared.requests)
        self.costs.setText(say("cache.advice.costs", n=requests, five=five, head=head, hour=hour))
        self.setAccessibleName(self.text.text())

    def _ask(self) -> None:
        if self._compared is not None:
            self.lifetimeAsked.emit(self._compared.best)
