"""Why a turn missed the cache: what is behind it, the first difference in two lines, its price, and the API's word."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from desktop_app.bridge.cache_models import money
from desktop_app.core.cache.causes import Cause
from desktop_app.core.cache.culprit import Agreement, Culprit, MissReport
from desktop_app.core.cache.forecast import LIFETIMES
from desktop_app.core.cache.miss_words import also_words, api_words, cause_words, place_words
from desktop_app.ui.cache.difference_box import DifferenceBox
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.fitting_label import FittingLabel
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip


class MissCard(QFrame):
    """Shows one report; hidden without one."""

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._language = language
        self._report: MissReport | None = None
        self._simulated = False
        self.setProperty("role", "card")
        self.title = PlainLabel(tone="heading")
        self.lost = FittingLabel(tone="muted", right=True)
        self.cause = PlainLabel(wrap=True)
        self.where = PlainLabel(tone="muted", wrap=True)
        self.difference = DifferenceBox(theme, language)
        self.api = PlainLabel(tone="muted", wrap=True)
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(self.title)
        heading.addWidget(self.lost, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 14, 12)
        layout.setSpacing(6)
        layout.addLayout(heading)
        for widget in (self.cause, self.where, self.difference, self.api):
            layout.addWidget(widget)

    def show_report(self, report: MissReport | None, *, simulated: bool) -> None:
        """Shows why a request missed; of a simulated one no money."""
        self._report, self._simulated = report, simulated
        self.say()

    def say(self) -> None:
        """Everything in the language in use."""
        report, words = self._report, self._language.words
        self.setVisible(report is not None)
        if report is None:
            return
        culprit = report.culprit
        self.title.setText(words.say("cache.why.title", turn=report.after.turn))
        self.lost.choose_from(*self._lost(report))
        sentences = (cause_words(words, culprit), self._late(culprit), also_words(words, culprit))
        self.cause.setText(" ".join(filter(None, sentences)))
        difference = culprit.difference
        byte = self._language.number(difference.byte) if difference is not None else ""
        self.where.setText(place_words(words, culprit, byte))
        self.where.setVisible(bool(self.where.text()))
        shown = difference is not None and difference.part != "params"
        self.difference.show_difference(
            difference.before if shown and difference is not None else "",
            difference.after if shown and difference is not None else "",
        )
        self.api.setText(api_words(words, report))
        set_tooltip(self.api, report.diagnosis.told if report.diagnosis else "")
        self.api.set_tone("warning" if report.agreement is Agreement.DISAGREES else "muted")
        self.setAccessibleName(", ".join((self.title.text(), self._lost(report)[0])))
        self.setAccessibleDescription(self.cause.text())

    def _late(self, culprit: Culprit) -> str:
        """How long it was kept and when it was sent, where it was sent too late."""
        if culprit.cause is not Cause.EXPIRED or culprit.was not in LIFETIMES or not culprit.is_now.isdecimal():
            return ""
        kept, pause = self._language.say(f"cache.lifetime.{culprit.was}"), self._language.seconds(int(culprit.is_now))
        return self._language.say("cache.why.late", kept=kept, pause=pause)

    def _lost(self, report: MissReport) -> tuple[str, ...]:
        say, culprit = self._language.say, report.culprit
        tokens = say("cache.unknown") if culprit.lost_tokens is None else self._language.number(culprit.lost_tokens)
        in_tokens = say("cache.why.lost_tokens", tokens=tokens)
        if self._simulated or culprit.lost_usd is None:
            return (in_tokens,)
        usd = money(self._language.words, culprit.lost_usd)
        return say("cache.why.lost", tokens=tokens, usd=usd), say("cache.why.lost_usd", usd=usd)
