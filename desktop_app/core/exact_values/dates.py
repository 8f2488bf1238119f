"""Reads dates and times of both languages into parts that can be compared."""

from __future__ import annotations

import re
from dataclasses import dataclass

from desktop_app.core.exact_values.patterns import MONTHS, ZONE
from desktop_app.core.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True)
class DateParts:
    """Each day a date may mean as (year, month, day), 0 where it says nothing; a time; its zone in minutes of UTC."""

    days: tuple[tuple[int, int, int], ...] = ()
    time: tuple[int, int, int] | None = None
    zone: str = ""


_YEAR_FIRST = lazy_pattern(r"(\d{4})([-./]) ?(\d{1,2})(?:\2 ?(\d{1,2})(?!\d))?(?!\d|:)")
_DAY_OR_MONTH_FIRST = lazy_pattern(r"(\d{1,2})/(\d{1,2})/(\d{4}|\d{2})(?!\d)")
_KOREAN = lazy_pattern(r"(?:(\d{4})년)? ?(?:(\d{1,2})월)?(?: ?(\d{1,2})일)?")
_MONTH = lazy_pattern(r"(?:" + "|".join(name[:3] for name in MONTHS) + r")[a-z]*", re.IGNORECASE)
_YEAR = lazy_pattern(r"(?<![\d:])(?:1[0-9]|20|21)\d{2}(?![\d:])")
_DAY = lazy_pattern(r"(?<![\d:])(\d{1,2})(?:st|nd|rd|th)?(?![\d:]| ?[AaPp]\.?[Mm])")
_CLOCK = lazy_pattern(
    r"(오전|오후|새벽|아침|낮|저녁|밤)? ?(?<!\d)(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d+)?(?: ?([AaPp])\.?[Mm])?"
)
_KOREAN_TIME = lazy_pattern(
    r"(오전|오후|새벽|아침|낮|저녁|밤)? ?(\d{1,2})시(?: ?(\d{1,2})분| ?(반))?(?: ?(\d{1,2})초)?"
)
_HOUR = lazy_pattern(r"(?<!\d)(\d{1,2}) ?([AaPp])\.?[Mm]")
_ZONE_AFTER = lazy_pattern(ZONE)
_OFFSETS = {
    "Z": 0, "UTC": 0, "GMT": 0, "KST": 540, "JST": 540, "CET": 60, "CEST": 120, "EST": -300, "EDT": -240,
    "CST": -360,
    "CDT": -300, "MST": -420, "MDT": -360, "PST": -480, "PDT": -420, "SGT": 480, "AEST": 600, "AEDT": 660,
    "EET": 120, "EEST": 180,
}  # fmt: skip
_AFTERNOON = frozenset(("오후", "저녁", "밤", "낮", "p"))


def date_parts(text: str) -> DateParts:
    """The parts of a date, a time, or both."""
    time, zone, rest = _time(text)
    return DateParts(_days(rest), time, zone)


def _time(text: str) -> tuple[tuple[int, int, int] | None, str, str]:
    """The time, its zone, and the text without them."""
    if (found := _CLOCK.search(text)) is not None:
        half = found[1] or (found[5] or "").lower()
        time = (_hour(int(found[2]), half), int(found[3]), int(found[4] or 0))
    elif (found := _KOREAN_TIME.search(text)) is not None:
        minutes = int(found[3]) if found[3] else 30 if found[4] else 0
        time = (_hour(int(found[2]), found[1] or ""), minutes, int(found[5] or 0))
    elif (found := _HOUR.search(text)) is not None:
        time = (_hour(int(found[1]), found[2].lower()), 0, 0)
    else:
        return None, "", text
    after = _ZONE_AFTER.search(text, found.end())
    zone = _offset(after[0]) if after else ""
    rest = text[: found.start()] + " " + text[after.end() if after else found.end() :]
    return time, zone, rest


def _hour(hour: int, half: str) -> int:
    if half in _AFTERNOON and hour < 12:
        return hour + 12 if not (half == "밤" and hour < 5) else hour
    return 0 if half in ("오전", "a") and hour == 12 else hour


def _offset(zone: str) -> str:
    if zone in _OFFSETS:
        return str(_OFFSETS[zone])
    sign = -1 if "-" in zone else 1
    digits = "".join(char for char in zone if char.isdigit())
    hours, minutes = (int(digits[:-2]), int(digits[-2:])) if len(digits) > 2 else (int(digits or 0), 0)
    return str(sign * (hours * 60 + minutes)) if digits else zone


def _days(text: str) -> tuple[tuple[int, int, int], ...]:
    if (found := _YEAR_FIRST.search(text)) is not None:
        return ((int(found[1]), int(found[3]), int(found[4] or 0)),)
    if (found := _DAY_OR_MONTH_FIRST.search(text)) is not None:
        one, two, year = int(found[1]), int(found[2]), int(found[3])
        year += 2000 if year < 100 else 0
        return tuple((year, month, day) for month, day in {(one, two), (two, one)} if month <= 12)
    if (month := _MONTH.search(text)) is not None:
        year_found, day = _YEAR.search(text), _DAY.search(text)
        number = next(place for place, name in enumerate(MONTHS, 1) if name[:3] == month[0][:3].lower())
        return ((int(year_found[0]) if year_found else 0, number, int(day[1]) if day else 0),)
    for korean in _KOREAN.finditer(text):
        if any(korean.groups()):
            return ((int(korean[1] or 0), int(korean[2] or 0), int(korean[3] or 0)),)
    return ()
