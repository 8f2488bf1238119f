"""The line at the bottom: where requests go, the key, what is under way, and when was saved last."""

from __future__ import annotations

from datetime import datetime
from math import ceil

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QStatusBar, QWidget

from desktop_app.bridge.figures import clock
from desktop_app.bridge.session_state import EndpointState, KeyState, Phase, Reach, SessionState
from desktop_app.bridge.spending_models import today_hint, today_text
from desktop_app.core.endpoints import EndpointKind
from desktop_app.core.errors import KeyRefused, KeyVaultLocked, KeyVaultSilent
from desktop_app.core.money.spending import SpendingReport
from desktop_app.ui.language import Language
from desktop_app.ui.theme import Theme
from desktop_app.ui.widgets.buttons import TextButton
from desktop_app.ui.widgets.kept_font import keep_font
from desktop_app.ui.widgets.plain_label import PlainLabel, set_tooltip

_COLOURS = {Reach.ONLINE: "good", Reach.OFFLINE: "danger", Reach.UNKNOWN: "muted"}


class ReachDot(QWidget):
    """Filled while the endpoint answers, a ring while it does not or was not tried."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.reach = Reach.UNKNOWN
        self.setFixedSize(QSize(9, 9))
        theme.changed.connect(self.update)

    def show_reach(self, reach: Reach) -> None:
        """Shows whether the endpoint answers."""
        self.reach = reach
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Dot or ring."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = self._theme.tokens.color(_COLOURS[self.reach])
        painter.setPen(colour)
        if self.reach is Reach.ONLINE:
            painter.setBrush(colour)
        painter.drawEllipse(self.rect().adjusted(1, 1, -2, -2))


class StatusBar(QStatusBar):
    """Shows EndpointState, SessionState, how many other answers arrive, what today cost, and when was saved.

    `today` is a button: it leads to the Spending page.
    """

    def __init__(self, theme: Theme, language: Language, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._language = theme, language
        self._endpoint: EndpointState | None = None
        self._state = SessionState()
        self._elsewhere = 0
        self._saved: datetime | None = None
        self._today: SpendingReport | None = None
        self.dot = ReachDot(theme)
        self.host, self.reach, self.key = PlainLabel(tone="muted"), PlainLabel(tone="muted"), PlainLabel(tone="muted")
        self.work, self.others = PlainLabel(tone="muted"), PlainLabel(tone="muted")
        self.today, self.saved = TextButton(kind="link"), PlainLabel(tone="muted")
        self._arrange()
        for label in (self.host, self.reach, self.key, self.work, self.others, self.today, self.saved):
            keep_font(label, theme, 12)
        language.changed.connect(self.say)
        self.say()

    def show_endpoint(self, endpoint: EndpointState | None) -> None:
        """Host, key and whether it answers."""
        self._endpoint = endpoint
        self.say()

    def show_state(self, state: SessionState) -> None:
        """What the conversation in front is doing."""
        if state != self._state:
            self._state = state
            self._say_work()

    def show_elsewhere(self, count: int) -> None:
        """In how many other conversations an answer arrives."""
        if count != self._elsewhere:
            self._elsewhere = count
            self._say_work()

    def show_saved(self, moment: datetime) -> None:
        """When something was stored last."""
        self._saved = moment
        self.say()

    def show_today(self, report: SpendingReport | None) -> None:
        """What all profiles together spent today."""
        self._today = report
        self._say_today()

    def say(self) -> None:
        """Everything in the language in use."""
        say, endpoint = self._language.say, self._endpoint
        self._say_today()
        self.setAccessibleName(say("app.name"))
        self._say_work()
        self.saved.setText(say("status.saved", time=clock(self._saved)) if self._saved else "")
        self.key.setVisible(endpoint is not None)
        self.reach.setVisible(endpoint is not None and endpoint.reach is not Reach.ONLINE)
        self.dot.show_reach(endpoint.reach if endpoint else Reach.UNKNOWN)
        if endpoint is None:
            self.host.setText(say("status.connecting"))
            return
        simulated = endpoint.kind is EndpointKind.SIMULATOR
        self.host.setText(say("status.simulated") if simulated else endpoint.host)
        word, tone = _key_word(endpoint)
        self.key.setText(say(f"status.{word}"))
        self.key.set_tone(tone)
        self.reach.setText(say(f"status.{endpoint.reach}"))
        self.reach.set_tone("danger" if endpoint.reach is Reach.OFFLINE else "muted")
        set_tooltip(self.reach, say("status.offline_hint") if endpoint.reach is Reach.OFFLINE else "")
        self.dot.setAccessibleName(say(f"status.{endpoint.reach}"))

    def _say_today(self) -> None:
        say, report = self._language.say, self._today
        self.today.setVisible(report is not None)
        if report is not None:
            self.today.set_words(say("status.today", amount=today_text(self._language.words, report)))
            hint = today_hint(self._language.words, report)
            set_tooltip(self.today, hint)
            self.today.setAccessibleDescription(hint)

    def _say_work(self) -> None:
        say = self._language.say
        self.work.setText(" · ".join(filter(None, (self._phase(), self._queued()))))
        self.work.setVisible(bool(self.work.text()))
        self.others.setText(say("status.elsewhere", n=self._elsewhere))
        self.others.setVisible(self._elsewhere > 0)

    def _phase(self) -> str:
        say, state = self._language.say, self._state
        if state.phase is Phase.IDLE:
            return ""
        return say(
            f"status.{state.phase}",
            seconds=ceil(state.seconds),
            attempt=state.attempt,
            most=state.most,
            name=state.tool,
        )

    def _queued(self) -> str:
        return self._language.say("status.queued") if self._state.queued is not None else ""

    def _arrange(self) -> None:
        self.setSizeGripEnabled(False)
        inner = QWidget()
        layout = QHBoxLayout(inner)
        layout.setContentsMargins(14, 0, 14, 0)
        layout.setSpacing(16)
        where = QHBoxLayout()
        where.setSpacing(6)
        where.addWidget(self.dot, 0, Qt.AlignmentFlag.AlignVCenter)
        where.addWidget(self.host)
        layout.addLayout(where)
        for label in (self.reach, self.key, self.work, self.others):
            layout.addWidget(label)
        layout.addStretch()
        layout.addWidget(self.today)
        layout.addWidget(self.saved)
        self.addWidget(inner, 1)
        self.setFixedHeight(28)


def _key_word(endpoint: EndpointState) -> tuple[str, str]:
    """What is said of the key, and how loud."""
    if isinstance(endpoint.error, KeyRefused):
        return "key_refused", "danger"
    if endpoint.key is KeyState.MISSING and isinstance(endpoint.trouble, KeyVaultLocked | KeyVaultSilent):
        return endpoint.trouble.word, "warning"
    return f"key_{endpoint.key}", "muted"
