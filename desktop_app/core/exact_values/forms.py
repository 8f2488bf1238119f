"""Other forms of the same value: one key for 12,345,670 and 12345670, for 3 Nov and 11월 3일, for C:\\a and C:/a."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from urllib.parse import unquote

from desktop_app.core.exact_values.dates import DateParts, date_parts
from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.lazy_pattern import lazy_pattern

Forms = tuple[frozenset[str], ...]
"""Parts of a value, each with the keys it may go by: two values say the same where each part shares a key."""

_DIGITS = lazy_pattern(r"\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
_SCALES = {"조": 10**12, "억": 10**8, "천만": 10**7, "백만": 10**6, "십만": 10**5, "만": 10**4, "천": 10**3, "백": 100}
_SCALED = lazy_pattern(r"(\d[\d,]*(?:\.\d+)?) ?(조|억|천만|백만|십만|만|천|백)?")
_BIG = {
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "thousand": 10**3,
    "bn": 10**9,
    "k": 10**3,
    "m": 10**6,
    "b": 10**9,
}
_CURRENCIES = {
    "₩": "krw", "원": "krw", "won": "krw", "krw": "krw", "$": "usd", "usd": "usd", "dollar": "usd",
    "달러": "usd", "us$": "usd",
    "€": "eur", "eur": "eur", "euro": "eur", "유로": "eur", "£": "gbp", "gbp": "gbp", "pound": "gbp",
    "파운드": "gbp", "¥": "jpy",
    "jpy": "jpy", "yen": "jpy", "엔": "jpy", "yuan": "cny", "cny": "cny", "위안": "cny", "buck": "usd",
}  # fmt: skip
_UNITS = {
    "일": "day", "d": "day", "시간": "hour", "h": "hour", "hr": "hour", "분": "minute", "min": "minute",
    "초": "second", "sec": "second",
    "s": "second", "주": "week", "wk": "week", "개월": "month", "달": "month", "년": "year", "yr": "year",
    "y": "year", "퍼센트": "%",
    "프로": "%", "percent": "%", "pct": "%", "명": "person", "people": "person", "인": "person",
    "번": "time", "회": "time", "x": "time",
    "배": "time", "개": "item", "℃": "°c", "c": "°c", "도": "degree", "°": "degree", "°f": "°f", "℉": "°f",
    "기가": "gb", "기가바이트": "gb",
    "gigabyte": "gb", "메가": "mb", "메가바이트": "mb", "megabyte": "mb", "테라": "tb", "테라바이트": "tb",
    "terabyte": "tb", "바이트": "byte",
    "킬로미터": "km", "kilometer": "km", "kilometre": "km", "미터": "m", "meter": "m", "metre": "m",
    "센티미터": "cm", "센티": "cm",
    "centimeter": "cm", "킬로그램": "kg", "kilogram": "kg", "kilo": "kg", "킬로": "kg", "그램": "g",
    "gram": "g", "리터": "l", "liter": "l",
    "litre": "l", "토큰": "token", "페이지": "page", "쪽": "page", "줄": "line", "행": "row", "lb": "pound",
    "ounce": "oz", "살": "year",
    "세": "year", "μs": "µs", "feet": "ft", "foot": "ft", "children": "kid", "child": "kid", "점": "point",
    "th": "", "st": "", "nd": "", "rd": "",
}  # fmt: skip
_HOME = lazy_pattern(r"^(?:/home/[^/]+|/users/[^/]+|/root|[a-z]:/users/[^/]+|%userprofile%|\$home)(?=/|$)")
_NO_LETTER = lazy_pattern(r"[\W_]+")
_FREE = (ValueKind.QUOTE, ValueKind.CODE, ValueKind.COMMAND, ValueKind.NAME, ValueKind.CONSTANT, ValueKind.ID)


def plain(text: str) -> str:
    """Composed, in lower case, full-width signs as usual ones, one kind of dash, runs of spaces as one."""
    if not text.isascii():
        text = (
            unicodedata.normalize("NFKC", text).replace("−", "-").replace("‑", "-").replace("‐", "-").replace("’", "'")
        )
    return " ".join(text.lower().split())


def squeezed(text: str) -> str:
    """Nothing but the letters and digits of a plain text."""
    return _NO_LETTER.sub("", text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower())


@lru_cache(maxsize=32768)
def forms(kind: ValueKind, text: str) -> Forms:
    """The keys of a value."""
    words = plain(text)
    match kind:
        case ValueKind.NUMBER | ValueKind.AMOUNT:
            number = number_key(words, kind)
            return (frozenset((number,)),) if number else (frozenset((_tight(words),)),)
        case ValueKind.DATE:
            return _date_forms(date_parts(words.upper() if words.isascii() else _zones_up(words))) or (
                frozenset((_tight(words),)),
            )
        case ValueKind.PHONE:
            digits = "".join(filter(str.isdigit, words))
            return (frozenset(("p:0" + digits[2:] if words.startswith("+82") else "p:" + digits,)),)
        case ValueKind.PATH:
            path = words.replace("\\", "/").rstrip("/")
            return (frozenset(("f:" + path, "f:" + _HOME.sub("~", path))),)
        case ValueKind.URL:
            return (frozenset(("u:" + unquote(words.split("://", 1)[-1]).removeprefix("www.").rstrip("/"),)),)
        case ValueKind.VERSION:
            return (frozenset(("v:" + words.removeprefix("v"),)),)
    return (frozenset(("w:" + squeezed(words) if kind in _FREE else _tight(words),)),)


def _zones_up(words: str) -> str:
    return re.sub(r"[a-z]+", lambda found: found[0].upper(), words)


def _tight(words: str) -> str:
    return "=" + words.replace(" ", "").rstrip(".,;:!?")


def number_key(words: str, kind: ValueKind) -> str:
    """`n:-3.5|°c`, `a:krw|12345670`; empty where it is more than one number."""
    numbers = _DIGITS.findall(words)
    first = next(_SCALED.finditer(words), None)
    if not numbers or first is None:
        return ""
    start, place, total = first.start(), first.start(), Decimal(0)
    for found in _SCALED.finditer(words, start):
        if words[place : found.start()].strip() or (found[2] is None and place != start and not total):
            break
        amount = _decimal(found[1])
        if amount is None:
            return ""
        total += amount * _SCALES.get(found[2] or "", 1)
        place = found.end()
        if found[2] is None:
            break
    rest = words[place:].strip(" -")
    if any(char.isdigit() for char in rest):
        return ""
    exponent = re.match(r"e[-+]?", rest)
    if exponent:
        return ""
    before, total_sign = words[:start].strip(), "-" if "-" in words[:start] else ""
    for big, factor in _BIG.items():
        if rest == big or rest.startswith(big + " "):
            total, rest = total * factor, rest[len(big) :].strip()
            break
    written = f"{total_sign}{total.normalize():f}"
    if kind is ValueKind.AMOUNT:
        return f"a:{_currency(before.strip('+- ') or rest)}|{written}"
    return f"n:{written}|{_unit(rest)}"


def _decimal(digits: str) -> Decimal | None:
    try:
        return Decimal(digits.replace(",", ""))
    except InvalidOperation:
        return None


def _currency(word: str) -> str:
    return _CURRENCIES.get(word) or _CURRENCIES.get(word.removesuffix("s"), word)


def _unit(word: str) -> str:
    word = word.removesuffix("-old")
    known = _UNITS.get(word)
    if known is None and len(word) > 2 and word.endswith("s"):
        word = word[:-1]
        known = _UNITS.get(word)
    return word if known is None else known


def _date_forms(parts: DateParts) -> Forms:
    found = []
    if parts.days:
        found.append(frozenset(f"d:{year}-{month}-{day}" for year, month, day in parts.days))
    if parts.time is not None:
        found.append(frozenset((f"t:{parts.time[0]}:{parts.time[1]}:{parts.time[2]}|{parts.zone}",)))
    return tuple(found)


def coarser(key: str) -> list[str]:
    """What a part of a date also says when less of it is told: the day without its year, the year alone, no zone."""
    if key.startswith("d:"):
        year, month, day = key[2:].split("-")
        return [f"d:0-{month}-{day}", f"d:{year}-{month}-0", f"d:{year}-0-0", f"d:0-{month}-0", f"d:0-0-{day}"]
    if key.startswith("t:"):
        hour, minute, _ = key[2:].split("|", maxsplit=1)[0].split(":")
        return [f"t:{hour}:{minute}:0|", f"t:{int(hour) % 12}:{minute}:0|"]
    if key.startswith(("n:", "a:")):
        number = key[2:].split("|")
        return [f"n:{number[0] if key.startswith('n:') else number[1]}|"]
    return []
