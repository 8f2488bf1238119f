"""The days a question means: "yesterday", "3 weeks ago", "in May", "지난주", "5월에", counted from a given day."""

from __future__ import annotations

import calendar
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from desktop_app.core.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True)
class Window:
    """From the day `first` to the day `last`, both included; `yearly` in any year, so that May is any May."""

    first: date
    last: date
    yearly: bool = False

    def holds(self, day: date) -> bool:
        """Whether a day lies in it."""
        if not self.yearly:
            return self.first <= day <= self.last
        first, last, own = ((one.month, one.day) for one in (self.first, self.last, day))
        return first <= own <= last


def time_windows(question: str, now: datetime) -> tuple[Window, ...]:
    """All windows a question names, in the time zone of `now`; none where it names no time."""
    text = unicodedata.normalize("NFC", question).lower()
    found: dict[Window, None] = {}
    for pattern, make in _RULES:
        for match in pattern.finditer(text):
            found.update(dict.fromkeys(_made(make, match, now.date())))
        # What one rule has read is not read by the next: "last May" is no "May", "5월 8일" no "5월".
        text = pattern.sub(" ", text)
    return tuple(found)


_Make = Callable[[re.Match[str], date], "Window | None"]


def _made(make: _Make, match: re.Match[str], today: date) -> Iterator[Window]:
    try:
        window = make(match, today)
    except (ValueError, OverflowError):  # 31 June, 9999 years ago
        return
    if window is not None:
        yield window


def _days(first: date, count: int = 1) -> Window:
    return Window(first, first + timedelta(days=count - 1))


def _week(today: date, back: int) -> Window:
    return _days(today - timedelta(days=today.weekday() + 7 * back), 7)


def _month(year: int, month: int) -> Window:
    """A month; numbers below 1 and above 12 are of the years before and behind."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return _days(date(year, month, 1), calendar.monthrange(year, month)[1])


def _year(year: int) -> Window:
    return Window(date(year, 1, 1), date(year, 12, 31))


def _ago(count: int, unit: str, today: date) -> Window:
    """So many units back; the longer ago, the less exactly it is meant."""
    if unit in ("day", "일"):
        slack = 0 if count < 7 else 2
        return _days(today - timedelta(days=count + slack), 1 + 2 * slack)
    if unit in ("week", "주", "주일"):
        return _days(today - timedelta(days=7 * count + 3), 7)
    if unit in ("month", "달", "개월"):
        return _month(today.year, today.month - count)
    return _year(today.year - count)


def _between(first: int, last: int, today: date) -> Window:
    return Window(today - timedelta(days=first), today - timedelta(days=last))


def _weekday(day: int, today: date) -> Window:
    """The latest such day before today."""
    return _days(today - timedelta(days=(today.weekday() - day - 1) % 7 + 1))


def _month_of(match: re.Match[str], number: int) -> Window:
    """A month, or a day of it, of the year that is named; in any year where none is."""
    named = match.groupdict()
    year = int(named["year"]) if named.get("year") else None
    if not named.get("day"):
        whole = _month(year or 2024, date(2024, number, 1).month)
        return whole if year else Window(whole.first, whole.last, yearly=True)
    day = date(year or 2024, number, int(named["day"]))  # a leap year, for 29 February
    return Window(day, day, yearly=year is None)


def _named_month(match: re.Match[str], _today: date) -> Window:
    return _month_of(match, _MONTHS.index(match["month"][:3]) + 1)


def _numbered_month(match: re.Match[str], _today: date) -> Window:
    return _month_of(match, int(match["month"]))


def _latest_month(number: int, today: date) -> Window:
    """Last May: the one before this month."""
    return _month(today.year - (number >= today.month), number)


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_KOREAN_DAYS = "월화수목금토일"
_NUMBERS = {
    **dict.fromkeys(("a", "an", "one", "한", "일"), 1),
    **dict.fromkeys(("two", "a couple of", "couple of", "두", "이"), 2),
    **dict.fromkeys(("three", "세", "석", "삼"), 3),
    **dict.fromkeys(("four", "네", "넉", "사"), 4),
    **{"five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10},
}
_COUNTED = r"(?P<count>\d{1,3}|a couple of|couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten)"
_KOREAN_COUNTED = r"(?P<count>(?<!\d)\d{1,3}|(?<![가-힣])(?:한|두|세|석|네|넉|일|이|삼|사))"
_PARTICLES = (
    r"(?:에|의|은|는|이|가|을|를|도|만|과|와|랑|엔|로|간|쯤|께|부터|까지|보다|처럼|이랑|동안|내내){0,3}(?![가-힣])"
)
"""Behind a time; a longer word begins like one by chance: 전기, 전체, 주문, 달력."""
_AGO = rf"전(?={_PARTICLES}|이[었에야고나며지]|인[가데지])"
_WEEK, _MONTH_LONG = rf"주(?={_PARTICLES}|였|이[었에야])", rf"달(?={_PARTICLES}|이[었에야])"
# "sun" and "sat" are words of their own: a day at the end of what is said, or where its hour or a person follows.
_WEEKDAY = (
    r"(?P<day>(?:mon|tues|wednes|thurs|fri|satur|sun)day|mon|tues?|wed|thu(?:rs)?|fri"
    r"|(?:sat|sun)(?=\W*$|[.?!]|,? (?:morning|afternoon|evening|night|at|i|we|he|she|they|you)\b))\b"
)
_MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
)
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
# "may" and "march" are words of their own.
_MONTH_ALONE = (
    r"(?:(?<=in )|(?<=of )|(?<=on )|(?<=since )|(?<=during )|(?<=around )|(?<=early )|(?<=late )|(?<=until ))"
    + _MONTH
    + r"|(?P<plain>january|february|april|june|july|august|september|october|november|december)\b"
)


def _alone(match: re.Match[str], _today: date) -> Window:
    number = _MONTHS.index((match["month"] or match["plain"])[:3]) + 1
    return _month_of(match, number)


_RULES: tuple[tuple[re.Pattern[str], _Make], ...] = tuple(
    (lazy_pattern(pattern), make)
    for pattern, make in (
        (r"\b" + _YEAR + r"-(?P<month>\d\d)-(?P<day>\d\d)\b", _numbered_month),
        (r"(?P<year>(?:19|20)\d\d)년\s*(?P<month>\d{1,2})월(?:\s*(?P<day>\d{1,2})일)?", _numbered_month),
        (r"작년\s*(?P<month>\d{1,2})월", lambda m, today: _month(today.year - 1, int(m["month"]))),
        (r"(?:지난|저번)\s*(?P<month>\d{1,2})월", lambda m, today: _latest_month(int(m["month"]), today)),
        (r"(?<!\d)(?P<month>\d{1,2})월(?:\s*(?P<day>\d{1,2})일)?", _numbered_month),
        (r"\blast " + _MONTH, lambda m, today: _latest_month(_MONTHS.index(m["month"][:3]) + 1, today)),
        (r"\b" + _DAY + r"(?: of)? " + _MONTH + r"(?:,? " + _YEAR + ")?", _named_month),
        (r"\b" + _MONTH + r" " + _DAY + r"(?:,? " + _YEAR + ")?", _named_month),
        (r"\b" + _MONTH + r",? " + _YEAR, _named_month),
        (r"\b(?:" + _MONTH_ALONE + r")", _alone),
        (
            r"\bday before yesterday\b|그저께|엊그제|(?<![가-힣])그제(?!야|서야)",
            lambda _, today: _days(today - timedelta(days=2)),
        ),
        (
            r"\byesterday\b|\blast (?:night|evening)\b|(?<![가-힣])어(?:제|젯밤)",
            lambda _, today: _days(today - timedelta(days=1)),
        ),
        (r"\btoday\b|\bthis (?:morning|afternoon|evening)\b|오늘", lambda _, today: _days(today)),
        (
            r"\b" + _COUNTED + r" (?P<unit>day|week|month|year)s? (?:ago|before|back)\b",
            lambda m, today: _ago(_number(m["count"]), m["unit"], today),
        ),
        (
            _KOREAN_COUNTED + r"\s*(?P<unit>일|주일|주|달|개월|년)\s*" + _AGO,
            lambda m, today: _ago(_number(m["count"]), m["unit"], today),
        ),
        (r"\b(?:a )?few days ago\b|며칠\s*" + _AGO, lambda _, today: _between(6, 2, today)),
        (r"\b(?:a )?few weeks ago\b|몇\s*주\s*" + _AGO, lambda _, today: _between(42, 14, today)),
        (r"\b(?:a )?few months ago\b|몇\s*(?:달|개월)\s*" + _AGO, lambda _, today: _between(190, 60, today)),
        (
            r"\b(?:the )?(?:last|past) " + _COUNTED + r" days\b|(?:최근|지난)\s*(?P<korean>\d{1,3})일",
            lambda m, today: _between(int(m["korean"] or _number(m["count"])), 0, today),
        ),
        (r"\bthe other day\b|\brecently\b|\blately\b|요즘|최근", lambda _, today: _between(14, 0, today)),
        (
            r"\blast weekend\b|지난\s*주말|저번\s*주말",
            lambda _, today: _days(today - timedelta(days=today.weekday() + 2), 2),
        ),
        (
            r"(?:지난|저번)\s*주\s*(?P<day>[월화수목금토일])요일",
            lambda m, today: _days(_week(today, 1).first + timedelta(days=_KOREAN_DAYS.index(m["day"]))),
        ),
        (r"\blast week\b|(?:지난|저번)\s*" + _WEEK, lambda _, today: _week(today, 1)),
        (r"\bthis week\b|이번\s*(?:주말|" + _WEEK + ")", lambda _, today: _week(today, 0)),
        (r"\blast month\b|(?:지난|저번)\s*" + _MONTH_LONG, lambda _, today: _month(today.year, today.month - 1)),
        (r"\bthis month\b|이번\s*" + _MONTH_LONG, lambda _, today: _month(today.year, today.month)),
        (r"재작년", lambda _, today: _year(today.year - 2)),
        (r"\blast year\b|작년|지난해", lambda _, today: _year(today.year - 1)),
        (r"\bthis year\b|올해", lambda _, today: _year(today.year)),
        (
            r"(?<![\w.,:/-])(?P<year>(?:19|20)\d\d)(?:(?=년)|(?![\w/-]|[.,:]\d))",
            lambda m, _: _year(int(m["year"])),
        ),
        (
            r"\b(?:on|last) " + _WEEKDAY,
            lambda m, today: _weekday(_DAYS.index(m["day"][:3]), today),
        ),
        (r"(?P<day>[월화수목금토일])요일", lambda m, today: _weekday(_KOREAN_DAYS.index(m["day"]), today)),
    )
)
