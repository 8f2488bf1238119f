"""Whether a value stands in a text as itself, not as part of a longer one: 12 does not stand in 1234 or 3.12."""

from __future__ import annotations

from desktop_app.core.exact_values.kinds import ValueKind
from desktop_app.core.exact_values.particles import is_particle
from desktop_app.core.lazy_pattern import lazy_pattern

_TRIES = 500
"""Places looked at: what stands inside longer words that often is taken not to stand alone."""
_NUMERIC = frozenset(
    (ValueKind.NUMBER, ValueKind.AMOUNT, ValueKind.DATE, ValueKind.PHONE, ValueKind.HOST, ValueKind.VERSION)
)
_JOINS_DIGITS = frozenset(".,:/-")
_JOINS_PARTS = frozenset("-./\\@=&%#?+:")
_HANGUL_RUN = lazy_pattern(r"[가-힣]+")
_TITLES_TEXT = "씨 님 팀장 선생 대리 과장 부장 차장 교수 박사 대표 이사"
_TITLES = frozenset(_TITLES_TEXT.split())


def place_in(text: str, value: str, kind: ValueKind) -> int:
    """Where the value first stands at its borders, byte for byte; -1 where it does not."""
    at = text.find(value)
    for _ in range(_TRIES):
        if at < 0 or (_begins(text, at, value, kind) and _ends(text, at + len(value), value, kind)):
            return at
        at = text.find(value, at + 1)
    return -1


def stands_at(text: str, start: int, end: int, kind: ValueKind) -> bool:
    """Whether what stands from `start` to `end` ends there on both sides."""
    value = text[start:end]
    return _begins(text, start, value, kind) and _ends(text, end, value, kind)


def _begins(text: str, at: int, value: str, kind: ValueKind) -> bool:
    if at == 0 or not value[0].isalnum():
        return at == 0 or value[0] != "/" or not (_is_word(text[at - 1]) or text[at - 1] in "./~")
    before = text[at - 1]
    if _is_word(before):
        return not before.isascii() and value[0].isascii()
    further = text[at - 2 : at - 1]
    if before in _JOINS_DIGITS and kind in _NUMERIC and value[0].isdigit():
        if before == "-" and not further.isalnum():
            return kind is not ValueKind.NUMBER or further in ("", "\n")
        return not (further.isdigit() or (before in "-:/" and further.isalnum() and further.isascii()))
    if kind in (ValueKind.ID, ValueKind.CONSTANT) and before == "-":
        return not further.isalnum()
    return not (
        kind in (ValueKind.PATH, ValueKind.HOST, ValueKind.EMAIL) and before in "/\\.-_@+" and further.isalnum()
    )


def _ends(text: str, end: int, value: str, kind: ValueKind) -> bool:
    after = text[end : end + 1]
    if not after or not value[-1].isalnum():
        return True
    further = text[end + 1 : end + 2]
    if _is_word(after):
        if after.isascii() or after < "가" or after > "힣":
            return not value[-1].isascii() and after.isascii() and after != "_"
        if value[-1].isascii() or kind in _NUMERIC:
            return True
        run = _HANGUL_RUN.match(text, end)
        return (
            run is None
            or is_particle(run[0])
            or (kind is ValueKind.NAME and run[0][:2].rstrip() in _TITLES)
            or run[0][0] in "씨님"
        )
    if kind in _NUMERIC:
        joins = after in ".,:/-" and further.isdigit()
        return not (joins or (kind is ValueKind.VERSION and after in "-.+" and further.isalnum() and further.isascii()))
    if kind in (ValueKind.PATH, ValueKind.URL, ValueKind.EMAIL):
        return not (after in _JOINS_PARTS and further.isalnum() and not (after == ":" and kind is ValueKind.PATH))
    return not (kind in (ValueKind.ID, ValueKind.CONSTANT, ValueKind.NAME) and after == "-" and further.isalnum())


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
