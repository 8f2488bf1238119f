"""Finds the values that hold a digit."""

from __future__ import annotations

from collections.abc import Iterator

from desktop_app.core.exact_values import patterns
from desktop_app.core.exact_values.kinds import Span, ValueKind
from desktop_app.core.exact_values.units import CURRENCY_CODES, CURRENCY_SIGNS, money_end, number_end
from desktop_app.core.lazy_pattern import lazy_pattern

_DIGITS = lazy_pattern(r"[0-9]+")
_AFTER_MARK = frozenset(".)")
_LONGEST_LEAD = 64
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_LEADING = _LETTERS | frozenset("-0123456789")
_IN_HOST = _LEADING | frozenset(".")
_LEADS = _LETTERS | frozenset(f" -=:+(#{CURRENCY_SIGNS}")
"""What may stand before the first digit of a value that began earlier."""
_MONTH_WORDS = frozenset(
    word for name in patterns.MONTHS for word in (name.capitalize(), name[:3].capitalize(), name[:3].capitalize() + ".")
) | {"Sept", "Sept."}
_HALF_DAYS = frozenset(["오전", "오후", "새벽", "아침", "낮", "저녁", "밤"])
_NAMED_VERSION = lazy_pattern(r"(?:[Vv]ersions? |[Vv]er\.? ?|버전 ?|[A-Z][A-Za-z.+#]{1,19} )$")
_DECIMAL = lazy_pattern(r"\d+\.\d+$")
_KINDS = {kind.value: kind for kind in ValueKind}
_BY_SIGN = {
    "-": patterns.AFTER_DASH,
    ":": patterns.AFTER_COLON,
    ".": patterns.AFTER_DOT,
    "/": patterns.AFTER_SLASH,
}


def values_with_digit(text: str) -> Iterator[Span]:
    """Dates, amounts, phone numbers, addresses, versions, ids and numbers of a text whose signs are plain."""
    done = 0
    for digits in _DIGITS.finditer(text):
        first, end = digits.span()
        if first < done:
            continue
        span = _led(text, first, done) or _begun(text, first, end, done)
        if span is not None:
            done = span[1]
            if span[2] is not ValueKind.NUMBER or not _is_list_mark(text, span):
                yield span


def _led(text: str, first: int, done: int) -> Span | None:
    """A value that began before its first digit: letters, a sign of a currency, a month, 오후."""
    before = text[first - 1 : first] if first > done else ""
    if before not in _LEADS:
        return None
    if before == " ":
        return _after_word(text, first, done)
    if before in _LETTERS:
        return _with_letters(text, first, done)
    if before == "-" and first - 1 > done and text[first - 2] in _LETTERS:
        return _with_letters(text, first, done)
    if before == "=":
        return _pinned(text, first, done)
    if before == ":":
        return _host(text, first, done)
    if before in CURRENCY_SIGNS:
        return _money(text, first, done)
    if before == "+":
        found = patterns.AFTER_PLUS.match(text, first - 1)
        return (first - 1, found.end(), ValueKind.PHONE) if found else None
    if before == "(":
        found = patterns.IN_BRACKETS.match(text, first - 1)
        return (first - 1, found.end(), ValueKind.PHONE) if found else None
    if before == "#":
        end = _DIGITS.match(text, first).end()  # type: ignore[union-attr]
        return (first - 1, end, ValueKind.ID) if not text[end : end + 1].isalnum() else None
    return None


def _after_word(text: str, first: int, done: int) -> Span | None:
    lowest = max(first - 6 - 5, done, 0)
    start = max(text.rfind(" ", lowest, first - 1), text.rfind("\n", lowest, first - 1)) + 1
    start = max(start, lowest)
    word = text[start : first - 1].lstrip("(\"'[")
    start = first - 1 - len(word)
    if word in _MONTH_WORDS:
        found = patterns.AFTER_MONTH.match(text, start)
        return (start, found.end(), ValueKind.DATE) if found else None
    if word in CURRENCY_CODES:
        return start, money_end(text, first), ValueKind.AMOUNT
    if word in _HALF_DAYS:
        found = patterns.AFTER_HALF_DAY.match(text, start)
        return (start, found.end(), ValueKind.DATE) if found else None
    if word[-1:] in CURRENCY_SIGNS and word and not word[:-1]:
        return start, money_end(text, first), ValueKind.AMOUNT
    return None


def _with_letters(text: str, first: int, done: int) -> Span | None:
    start = first
    lowest = max(done, first - _LONGEST_LEAD)
    while start > lowest and text[start - 1] in _LEADING:
        start -= 1
    while start < first and text[start] not in _LETTERS:
        start += 1
    while start < first and text[start] == "_":
        start += 1
    if start == first or (start == lowest and start and text[start - 1] in _LEADING):
        return None
    if text[start:first] in CURRENCY_CODES:
        return start, money_end(text, first), ValueKind.AMOUNT
    found = patterns.WITH_LETTER_FIRST.match(text, start)
    if found is not None:
        kind = _KINDS[found.lastgroup or ""]
        return start - (kind is ValueKind.ID and _after_hash(text, start, done)), found.end(), kind
    port = patterns.HOST_BEFORE_PORT.match(text, start)
    if port is not None:
        return start, port.end(), ValueKind.HOST
    found = patterns.ID_WORD.match(text, start)
    return (
        (start - _after_hash(text, start, done), found.end(), ValueKind.ID) if found and found.end() > first else None
    )


def _after_hash(text: str, start: int, done: int) -> bool:
    """Whether a # belongs to what begins there: #ff8800."""
    return start > done and text[start - 1] == "#"


def _pinned(text: str, first: int, done: int) -> Span | None:
    """A package with its version: numpy==2.1.0."""
    found = patterns.PINNED.search(text, max(first - _LONGEST_LEAD, done), first)
    return (found.start(), patterns.ID_WORD_END.match(text, first).end(), ValueKind.VERSION) if found else None  # type: ignore[union-attr]


def _host(text: str, first: int, done: int) -> Span | None:
    start = first - 1
    lowest = max(done, first - 2 * _LONGEST_LEAD)
    while start > lowest and text[start - 1] in _IN_HOST:
        start -= 1
    found = patterns.HOST_BEFORE_PORT.match(text, start)
    if found is not None and found.end() > first:
        return start, found.end(), ValueKind.HOST
    return None


def _money(text: str, first: int, done: int) -> Span:
    start = first - 1
    if text[max(start - 2, done) : start] in ("US", "CA", "AU", "NT", "HK"):
        start -= 2
    if start > done and text[start - 1] in "+-" and not text[start - 2 : start - 1].isalnum():
        start -= 1
    return start, money_end(text, first), ValueKind.AMOUNT


def _begun(text: str, first: int, end: int, done: int) -> Span | None:
    """A value that begins with this digit, or with a sign in front of it."""
    if (
        first
        and first > done
        and (text[first - 1] in _LETTERS or (text[first - 1] == "." and text[first - 2 : first - 1].isdigit()))
    ):
        return None
    sign = text[end : end + 1]
    pattern = _BY_SIGN.get(sign)
    if pattern is None:
        if sign == " ":
            pattern = patterns.AFTER_SPACE if _date_or_phone_may_follow(text, first, end) else None
        elif "가" <= sign <= "힣":
            pattern = patterns.AFTER_HANGUL if sign in "년월시" else None
        elif sign in _LETTERS and sign:
            pattern = patterns.AFTER_LETTER
    if pattern is not None and (found := pattern.match(text, first)):
        return first, found.end(), _KINDS[found.lastgroup or ""]
    if end - first in (10, 11) and patterns.MOBILE.match(text, first):
        return first, end, ValueKind.PHONE
    stop, kind = number_end(text, first)
    if stop == end and sign in _LETTERS and sign:
        mixed = patterns.MIXED_ID.match(text, first)
        if mixed is not None:
            return first, mixed.end(), ValueKind.ID
    start = first
    if first > done and text[first - 1] in "-+±" and not _joins(text, first - 2):
        start -= 1
    if kind is ValueKind.NUMBER and sign == "." and _DECIMAL.match(text[first:stop]) and start == first:
        kind = ValueKind.VERSION if _NAMED_VERSION.search(text[max(first - 22, 0) : first]) else kind
    return start, stop, kind


def _date_or_phone_may_follow(text: str, first: int, end: int) -> bool:
    char = text[end + 1 : end + 2]
    return (
        (char in "JFMASONDjapAP" and char != "")
        or (char.isdigit() and text[first] == "0")
        or text.startswith("of ", end + 1)
    )


def _joins(text: str, at: int) -> bool:
    """Whether what stands there makes a following sign no sign: 10-12, x-1, )-3."""
    return at >= 0 and (text[at].isalnum() or text[at] in "_)]./")


def _is_list_mark(text: str, span: Span) -> bool:
    start, end, _ = span
    if end - start > 3 or text[end : end + 1] not in _AFTER_MARK or not text[end + 1 : end + 2].isspace():
        return False
    line = text.rfind("\n", max(start - 12, 0), start) + 1
    return (line > 0 or start <= 12) and not text[line:start].strip(" \t>*-")
