"""How numbers and times are written: thousands separated, estimates marked, hours in the person's zone."""

from __future__ import annotations

from datetime import date, datetime

from PySide6.QtCore import QDate, QLocale

from desktop_app.core.usage import Figure, Known
from desktop_app.core.words import Words


def number(words: Words, value: int) -> str:
    """A whole number with the thousands separated as the language does."""
    return locale_of(words).toString(value)


def percent(words: Words, share: float) -> str:
    """A share (0 to 1) as `6.1 %`; what is there but rounds to nothing as `< 0.1 %`."""
    locale = locale_of(words)
    if 0 < share < 0.0005:
        return f"< {locale.toString(0.1, 'f', 1)} %"
    return f"{locale.toString(share * 100, 'f', 1)} %"


def locale_of(words: Words) -> QLocale:
    """The locale figures are written in."""
    if words.language == "ko":
        return QLocale(QLocale.Language.Korean, QLocale.Country.SouthKorea)
    return QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)


def sign(known: Known | None) -> str:
    """`≈` for an estimate, `=` for a counted or measured figure."""
    return known.sign if known is not None else ""


def marked(words: Words, figure: Figure) -> str:
    """The number, with `≈` in front while it is an estimate."""
    text = number(words, figure.tokens)
    return f"{figure.known.sign} {text}" if figure.known is Known.ESTIMATED else text


def day_text(words: Words, day: date) -> str:
    """A day with its year, as the language writes it: `30 November 2026`."""
    return locale_of(words).toString(QDate(day.year, day.month, day.day), words.say("time.date_year_pattern"))


def clock(moment: datetime) -> str:
    """Hours and minutes in the zone of the person's machine."""
    return moment.astimezone().strftime("%H:%M")
