"""Exact values spelled another way: numbers without commas, dates and times in words, a home folder as ~."""

from __future__ import annotations

import re

_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_SPELLED = re.compile(
    r"(?<![\d,.])(?P<number>\d{1,3}(?:,\d{3})+)(?![\d,])|"
    r"(?<![\w/.-])(?P<date>\d{4}-(?:0[1-9]|1[0-2])-\d{2})(?![\w-])|"
    r"(?<![\w:.])(?P<time>(?:[01]?\d|2[0-3]):[0-5]\d)(?![\w:])|"
    r"(?<![\w/\\])(?P<home>/(?:home|Users)/[^/\s]+(?=/)|[A-Za-z]:\\Users\\[^\\\s]+(?=\\))"
)


def reword(row: str, korean: bool) -> str:
    """A line with its values spelled another way."""
    return _SPELLED.sub(lambda found: _other_spelling(found, korean), row)


def _other_spelling(found: re.Match[str], korean: bool) -> str:
    if found["number"]:
        return found["number"].replace(",", "")
    if found["home"]:
        return "~"
    if found["date"]:
        year, month, day = map(int, found["date"].split("-"))
        return f"{year}년 {month}월 {day}일" if korean else f"{day} {_MONTHS[month - 1]} {year}"
    hour, minute = map(int, found["time"].split(":"))
    twelve = hour % 12 or 12
    if korean:
        return f"{'오전' if hour < 12 else '오후'} {twelve}시" + (f" {minute}분" if minute else "")
    return f"{twelve}:{minute:02d} {'am' if hour < 12 else 'pm'}"
