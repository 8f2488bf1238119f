"""How facts are told: who brought one in, when it was used, what was done to it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta

from PySide6.QtCore import QDate

from desktop_app.bridge.figures import clock, locale_of
from desktop_app.bridge.visible_text import visible_line
from desktop_app.core.facts import Fact, FactAction, FactChange, FactOrigin, told_differences
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


def history_line(
    words: Words, change: FactChange, today: date | None = None, title_of: Callable[[str], str | None] = lambda _: None
) -> str:
    """One line of a fact's history: `3 Nov you: 30 days → 35 days`; `title_of` knows the titles of conversations."""
    line = words.say(
        "memory.history_line",
        time=time_word(words, change.at, today),
        who=words.say(f"memory.by.{change.by}"),
        what="; ".join(_what(words, change, today, title_of)),
    )
    return words.say("memory.history_undone", line=line) if change.undone else line


def _what(words: Words, change: FactChange, today: date | None, title_of: Callable[[str], str | None]) -> list[str]:
    before, after = change.before, change.after
    if before is None:
        return [words.say(f"memory.action.{change.action}")]
    told = [] if change.action is FactAction.EDITED else [words.say(f"memory.action.{change.action}")]
    told += [_difference(words, name, before, after, today, title_of) for name in told_differences(before, after)]
    return told or [words.say(f"memory.action.{change.action}")]


def _difference(
    words: Words, name: str, before: Fact, after: Fact, today: date | None, title_of: Callable[[str], str | None]
) -> str:
    if name == "origin":
        return words.say("memory.history_origin", who=origin_word(words, after.origin))
    if name == "expires_at":
        if after.expires_at is None:
            return words.say("memory.history_endless")
        return words.say("memory.history_until", day=day_word(words, after.expires_at, today))
    if name == "scope":
        if not after.scope:
            return words.say("memory.history_everywhere")
        title = visible_line(title_of(after.scope) or "", _MOST) or words.say("memory.untitled")
        return words.say("memory.history_only_in", title=title)
    old, new = (visible_line(getattr(fact, name), _MOST) for fact in (before, after))
    arrow = words.say("memory.history_change", before=old or "–", after=new or "–")
    return arrow if name == "value" else words.say(f"memory.history_{name}", change=arrow)
