"""How facts are told: who brought one in, when it was used, what was done to it."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from PySide6.QtCore import QDate

from desktop_app.bridge.figures import clock, locale_of
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.facts import Fact, FactAction, FactChange, FactOrigin
from desktop_app.core.words import Words

_MOST = 120
"""Letters of a value in a line of history."""


def origin_word(words: Words, origin: FactOrigin) -> str:
    """`you` or `Claude`."""
    return words.say(f"memory.origin.{origin}")


def day_word(words: Words, moment: datetime | None, today: date | None = None) -> str:
    """`today`, `yesterday`, `3 Nov`, with the year unless it is this one; words for never."""
    if moment is None:
        return words.say("memory.never")
    today = today or datetime.now().astimezone().date()
    day = moment.astimezone().date()
    if day == today:
        return words.say("memory.today")
    if day == today - timedelta(days=1):
        return words.say("memory.yesterday")
    pattern = words.say("memory.day_pattern" if day.year == today.year else "memory.day_year_pattern")
    return locale_of(words).toString(QDate(day.year, day.month, day.day), pattern)


def time_word(words: Words, moment: datetime, today: date | None = None) -> str:
    """The hour today, the day before."""
    today = today or datetime.now().astimezone().date()
    return clock(moment) if moment.astimezone().date() == today else day_word(words, moment, today)


def history_line(words: Words, change: FactChange, today: date | None = None) -> str:
    """One line of a fact's history: `3 Nov you: 30 days → 35 days`."""
    line = words.say(
        "memory.history_line",
        time=time_word(words, change.at, today),
        who=words.say(f"memory.by.{change.by}"),
        what="; ".join(_what(words, change)),
    )
    return words.say("memory.history_undone", line=line) if change.undone else line


def _what(words: Words, change: FactChange) -> list[str]:
    before, after = change.before, change.after
    if before is None or change.action not in (FactAction.EDITED, FactAction.UNDONE, FactAction.ACCEPTED):
        return [words.say(f"memory.action.{change.action}")]
    told = [] if change.action is FactAction.EDITED else [words.say(f"memory.action.{change.action}")]
    told += _differences(words, before, after)
    return told or [words.say(f"memory.action.{change.action}")]


def _differences(words: Words, before: Fact, after: Fact) -> list[str]:
    told = []
    for name in ("value", "key", "category"):
        old, new = (visible_line(getattr(fact, name), _MOST) for fact in (before, after))
        if old != new:
            arrow = words.say("memory.history_change", before=old or "–", after=new or "–")
            told.append(arrow if name == "value" else words.say(f"memory.history_{name}", change=arrow))
    return told
