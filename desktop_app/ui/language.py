"""The language the window speaks: sentences, numbers, times; switched while it runs."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any

from PySide6.QtCore import QDate, QLocale, QObject, Signal

from desktop_app.bridge import figures
from desktop_app.core.errors import AppError
from desktop_app.core.usage import Figure
from desktop_app.core.words import LANGUAGES, Words, load_words


class Language(QObject):
    """The words in use.

    Signals:
        changed: another language was chosen; every widget says its sentences anew.
    """

    changed = Signal()

    def __init__(self, code: str = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.words: Words = load_words(resolve(code))

    @property
    def code(self) -> str:
        """`en` or `ko`."""
        return self.words.language

    def use(self, code: str) -> None:
        """Switches to `en`, `ko` or `system`."""
        if resolve(code) != self.code:
            self.words = load_words(resolve(code))
            self.changed.emit()

    def say(self, message_id: str, /, **params: Any) -> str:
        """The sentence of that id; KeyError where the catalogue has none."""
        return self.words.say(message_id, **params)

    def explain(self, error: AppError, *, with_wait: bool = True) -> str:
        """What happened, what was kept, what to do; a parameter the error does not carry becomes `…`.

        `with_wait` adds how long the endpoint asks to wait.
        """
        return self.words.explain(error, with_wait=with_wait)

    def number(self, value: int) -> str:
        """A whole number, thousands separated."""
        return figures.number(self.words, value)

    def marked(self, figure: Figure) -> str:
        """A number with `≈` in front while it is an estimate."""
        return figures.marked(self.words, figure)

    def percent(self, share: float) -> str:
        """A share (0 to 1) as `6.1 %`."""
        return figures.percent(self.words, share)

    def seconds(self, value: float) -> str:
        """A duration: `0.9 s`, `42 s`, `3 min 05 s`."""
        if value < 10:
            return self.say("time.seconds", value=self.locale.toString(value, "f", 1))
        whole = round(value)
        if whole < 60:
            return self.say("time.seconds", value=self.locale.toString(whole))
        return self.say("time.minutes", minutes=self.locale.toString(whole // 60), seconds=f"{whole % 60:02d}")

    def when(self, moment: datetime | None, today: date | None = None) -> str:
        """Hour and minute in the person's zone, with the day unless it is today; words for an unknown time."""
        if moment is None:
            return self.say("time.unknown")
        day = moment.astimezone().date()
        clock = figures.clock(moment)
        today = today or datetime.now().astimezone().date()
        if day == today:
            return clock
        if day == today - timedelta(days=1):
            return self.say("time.yesterday", clock=clock)
        return self.say("time.day", day=self.day(day, today), clock=clock)

    def day(self, day: date, today: date | None = None) -> str:
        """A date in words, with its year unless it is this one."""
        year = (today or datetime.now().astimezone().date()).year
        pattern = self.say("time.date_pattern" if day.year == year else "time.date_year_pattern")
        return self.locale.toString(QDate(day.year, day.month, day.day), pattern)

    @property
    def locale(self) -> QLocale:
        """The locale numbers and dates are written in."""
        return figures.locale_of(self.words)


def resolve(code: str) -> str:
    """The language a setting stands for: `system` is the machine's where there is a catalogue for it."""
    if code in LANGUAGES:
        return code
    system = QLocale.system().name().split("_")[0]
    return system if system in LANGUAGES else "en"
