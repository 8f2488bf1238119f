"""Account numbers of banks abroad (IBAN, ISO 13616): where one stands, by country, length and check digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LENGTHS = {
    country: int(length)
    for length, countries in (
        ("15", "NO"),
        ("16", "BE"),
        ("18", "DK FI FK FO GL NL SD"),
        ("19", "MK SI"),
        ("20", "AT BA EE KZ LT LU MN XK"),
        ("21", "CH HR LI LV"),
        ("22", "BG BH CR DE GB GE IE ME RS VA"),
        ("23", "AE GI IL IQ OM SO TL"),
        ("24", "AD CZ DZ ES MD PK RO SA SE SK TN VG"),
        ("25", "LY PT ST"),
        ("26", "IS TR"),
        ("27", "BI DJ FR GR IT MC MR SM"),
        ("28", "AL AZ BY CY DO GT HN HU LB NI PL SV"),
        ("29", "BR EG PS QA UA"),
        ("30", "JO KW MU YE"),
        ("31", "MT SC"),
        ("32", "LC"),
        ("33", "RU"),
    )
    for country in countries.split()
}
"""Letters and digits of one, by country, as of release 100 of the registry of SWIFT."""
_BEGIN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])")
_GROUP = 4
_SIGN = re.compile(r"[A-Za-z0-9]")
_LABEL = re.compile(r"(?<![A-Za-z])IBAN(?:\s?(?:number|no\b\.?|번호))?(?:\s+is|은|는|이)?[\s:=_-]{0,4}", re.IGNORECASE)


def ibans(text: str) -> Iterator[tuple[int, int]]:
    """Where one stands: in one piece or in groups of four, with the right check digits; or behind its label."""
    for found in _BEGIN.finditer(text):
        for separator in ("", " ", "-"):
            end = _end(text, found.start(), separator)
            written = text[found.start() : end]
            if end and written == _grouped(written, separator) and is_iban(written.replace(separator or " ", "")):
                yield found.start(), end
    for label in _LABEL.finditer(text):
        if _BEGIN.match(text, label.end()) and (end := _end(text, label.end(), " -")):
            yield label.end(), end


def is_iban(letters: str) -> bool:
    """Whether its country gives out numbers of this length, and the check digits (ISO 7064, mod 97-10) are right."""
    if _LENGTHS.get(letters[:2].upper()) != len(letters):
        return False
    return int("".join(str(int(sign, 36)) for sign in letters[4:] + letters[:4])) % 97 == 1


def _end(text: str, start: int, separators: str) -> int:
    """Behind as many letters and digits as the country has, these signs between them; 0 where there are not as many."""
    left, at = _LENGTHS.get(text[start : start + 2].upper(), 0), start
    while left and at < len(text) and (_SIGN.match(text, at) or text[at] in separators):
        left -= text[at] not in separators
        at += 1
    return 0 if left or at == start or _SIGN.match(text, at) else at


def _grouped(written: str, separator: str) -> str:
    """The same as it is printed. Only capitals stand in groups: words of four letters are none."""
    if not separator:
        return written
    letters = written.replace(separator, "").upper()
    return separator.join(letters[at : at + _GROUP] for at in range(0, len(letters), _GROUP))
