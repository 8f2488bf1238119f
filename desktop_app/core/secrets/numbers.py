"""Numbers of persons and cards: which digits can be one."""

from __future__ import annotations

import calendar

_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_WITHOUT_CHECK = (2020, 10)
"""Year and month from which on the last digits of a resident number are drawn at random."""
_CENTURY = {
    "9": 1800,
    "0": 1800,
    "1": 1900,
    "2": 1900,
    "5": 1900,
    "6": 1900,
    "3": 2000,
    "4": 2000,
    "7": 2000,
    "8": 2000,
}
_FOREIGN = "5678"
_BRANDS: tuple[tuple[tuple[str, ...], tuple[int, ...]], ...] = (
    (("4",), (13, 16, 19)),
    (tuple(map(str, range(51, 56))), (16,)),
    (tuple(map(str, range(2221, 2721))), (16,)),
    (("34", "37"), (15,)),
    (("36", "38", "39", "300", "301", "302", "303", "304", "305"), (14,)),
    (("35",), (16,)),
    (("6011", "644", "645", "646", "647", "648", "649", "65"), (16, 19)),
    (("62",), (16, 17, 18, 19)),
    (("94",), (16,)),  # cards of Korea only
)


def is_card_number(digits: str) -> bool:
    """Whether a brand gives out cards of this beginning and length, and the check digit (Luhn) is right."""
    known = any(digits.startswith(begins) and len(digits) in lengths for begins, lengths in _BRANDS)
    return known and luhn(digits)


def luhn(digits: str) -> bool:
    """Whether the last digit is what ISO/IEC 7812 asks for."""
    doubled = (int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits)))
    return sum(one - 9 if one > 9 else one for one in doubled) % 10 == 0


def is_resident_number(digits: str) -> bool:
    """Whether 13 digits can be the number of a resident of Korea: a day that exists and, for those born before
    October 2020, the check digit."""
    century = _CENTURY[digits[6]]
    year, month, day = century + int(digits[:2]), int(digits[2:4]), int(digits[4:6])
    if not 1 <= month <= 12 or not 1 <= day <= calendar.monthrange(year, month)[1]:
        return False
    if (year, month) >= _WITHOUT_CHECK:
        return True
    rest = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, digits, strict=False)) % 11
    # Of foreigners the digit is two more.
    return int(digits[12]) == (11 - rest + 2 * (digits[6] in _FOREIGN)) % 10
