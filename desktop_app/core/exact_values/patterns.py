"""Patterns of dates, addresses, phone numbers, versions and ids, sorted by the sign that follows the first digits."""

from __future__ import annotations

import re

from desktop_app.core.lazy_pattern import lazy_pattern

_MONTHS_TEXT = "january february march april may june july august september october november december"
MONTHS = _MONTHS_TEXT.split()
"""English names of the months, in order."""
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\.?(?![A-Za-z])"
)
ZONE = (
    r"(?:Z(?![A-Za-z0-9])|(?:UTC|GMT)[-+]\d{1,2}(?::\d{2})?|[-+]\d{2}:?\d{2}(?!\d)|"
    r"(?:KST|UTC|GMT|JST|CES?T|EE?S?T|[ECMP][SD]T|BST|IST|SGT|AES?T|AEDT)(?![A-Za-z]))"
)
_HALF = r"(?: ?(?:[AaPp]\.[Mm]\.|[AaPp][Mm])(?![A-Za-z]))"
_CLOCK = rf"(?:[01]?\d|2[0-4]):[0-5]\d(?::[0-5]\d(?:[.,]\d{{1,9}})?)?(?!:?\d){_HALF}?(?: ?{ZONE})?"
_HOUR = rf"\d{{1,2}}{_HALF}(?: ?{ZONE})?"
_KOREAN_TIME = r"\d{1,2}시(?!간)(?: ?\d{1,2}분| ?반(?=에|까지|부터|쯤|[^가-힣]|$))?(?: ?\d{1,2}초)?"
_TIME = rf"(?:(?:(?:오전|오후|새벽|아침|낮|저녁|밤) ?)?(?:{_KOREAN_TIME}|{_CLOCK})|{_HOUR})"
_THEN = rf"(?:(?:T|,? at |, | )?{_TIME})?"
_WEEKDAY = r"(?: ?\((?:[월화수목금토일](?:요일)?|[A-Z][a-z]{2,8})\)| [월화수목금토일]요일)?"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_YEAR = r"(?:1[0-9]|20|21)\d{2}"
_NUMBER_OF_MONTH = r"(?:0?[1-9]|1[0-2])"
_ENGLISH_DAY = (
    rf"(?:{_DAY}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? {_YEAR}(?!\d))?"
    rf"|{_MONTH} (?:{_DAY}(?:st|nd|rd|th)?(?![\d:])(?:,? {_YEAR}(?!\d))?|{_YEAR}(?!\d)))"
)
_ON_DAY = rf"(?:,?(?: on)? {_ENGLISH_DAY})?"

_HEX = "[0-9A-Fa-f]"
_UUID = rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}(?![\w-])"
_MAC = rf"(?:{_HEX}{{2}}[:-]){{5}}{_HEX}{{2}}(?![\w:-])"
_HASH = rf"(?={_HEX}{{0,127}}[A-Fa-f])(?={_HEX}{{0,127}}\d){_HEX}{{7,128}}(?!\w)(?!-\w)"
_OCTET = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
_IPV4 = rf"(?:{_OCTET}\.){{3}}{_OCTET}(?!\d|\.\d)(?::\d{{1,5}}(?!\d)|/\d{{1,2}}(?!\d))?"
_IPV6 = (
    rf"(?:{_HEX}{{1,4}}:){{7}}{_HEX}{{1,4}}(?![:\w])"
    rf"|(?={_HEX}[0-9A-Fa-f:]{{0,38}}::)(?:{_HEX}{{1,4}}:){{1,7}}(?::{_HEX}{{1,4}}){{0,6}}:?(?![:\w])(?:/\d{{1,3}})?"
)
_TAIL = r"(?:[-_.:](?=[A-Za-z0-9])[A-Za-z0-9]++)*+"
_MIXED = rf"\d+(?!x\d)(?=[A-Za-z0-9]{{0,64}}[A-Za-z])[A-Za-z0-9]{{6,}}{_TAIL}"
_PRE_RELEASE = r"[-.]?(?:rc|beta|alpha|dev|post)[-.]?\d*(?![A-Za-z0-9])"


def _any(**kinds: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items()))


AFTER_DASH = _any(
    date=rf"{_YEAR}-(?:0[1-9]|1[0-2])(?:-{_DAY}(?![\d-]){_WEEKDAY}{_THEN}|(?![\d-]))",
    phone=r"0\d{1,2}-\d{3,4}-\d{4}(?![\d-])|(?:1-)?\d{3}-\d{3}-\d{4}(?![\d-])|1[568]\d{2}-\d{4}(?![\d-])|\d{3}-\d{4}(?![\d-])",
    id=rf"{_UUID}|{_MAC}|\d{{2,6}}-\d{{5,}}(?:-\d+)*+(?![\w-])|\d++(?:-\d++){{2,6}}+(?![\w-])|0\d+-\d+(?![\w-])"
    rf"|\d+-[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)*(?![\w-])",
)
AFTER_COLON = _any(date=rf"(?:\d{{1,2}}:\d{{2}} ?[-–~] ?)?{_CLOCK}{_ON_DAY}", id=_MAC, host=_IPV6)
AFTER_DOT = _any(
    id=r"10\.\d{4,9}/[\w.()/-]{1,120}(?<=\w)",
    host=_IPV4,
    date=rf"{_YEAR}\.{_NUMBER_OF_MONTH}\.{_DAY}(?!\d|\.\d)\.?{_WEEKDAY}{_THEN}"
    rf"|{_YEAR}\. {_NUMBER_OF_MONTH}\. {_DAY}(?!\d)\.?{_WEEKDAY}{_THEN}",
    phone=r"\d{3}\.\d{3}\.\d{4}(?![\d.])",
    version=rf"\d+(?:\.\d+){{2,4}}(?!\d)(?:[-+](?=[A-Za-z])[0-9A-Za-z]+(?:[.-][0-9A-Za-z]+)*+|(?:a|b|rc|dev|post)\d+)?"
    rf"|\d+\.\d+{_PRE_RELEASE}",
)
AFTER_SLASH = _any(
    date=rf"{_YEAR}/{_NUMBER_OF_MONTH}/{_DAY}(?![\d/]){_WEEKDAY}{_THEN}|{_DAY}/{_DAY}/(?:{_YEAR}|\d{{2}})(?![\d/]){_THEN}"
)
AFTER_LETTER = _any(
    id=rf"{_UUID}|{_HASH}",
    host=_IPV6,
    date=rf"(?:{_HOUR}{_ON_DAY}|{_ENGLISH_DAY}{_THEN})",
    number=r"\d+(?:st|nd|rd|th)(?!\w)",
)
MIXED_ID = lazy_pattern(_MIXED)
AFTER_SPACE = _any(
    date=rf"(?:{_HOUR}{_ON_DAY}|{_ENGLISH_DAY}{_THEN})",
    phone=r"01[016-9] \d{3,4} \d{4}(?!\d)|0\d{1,2} \d{3,4} \d{4}(?!\d)",
)
AFTER_HANGUL = _any(
    date=rf"(?:{_YEAR}년 ?)?{_NUMBER_OF_MONTH}월(?: ?{_DAY}일(?!간))?{_WEEKDAY}(?: ?{_TIME})?"
    rf"|{_YEAR}년(?![간차])|{_KOREAN_TIME}"
)
AFTER_MONTH = lazy_pattern(rf"{_ENGLISH_DAY}{_THEN}")
AFTER_HALF_DAY = lazy_pattern(_TIME)
AFTER_PLUS = lazy_pattern(r"\+\d{1,3}[ -]?(?:\(\d{1,4}\)[ -]?)?\d{1,4}(?:[ -]\d{2,4}){1,4}(?![\d-])|\+\d{9,14}(?!\d)")
IN_BRACKETS = lazy_pattern(r"\(\d{2,4}\) ?\d{3,4}-\d{4}(?!\d)")
MOBILE = lazy_pattern(r"01[016-9]\d{7,8}(?!\d)")
HOST_BEFORE_PORT = lazy_pattern(
    r"(?:localhost|db|redis|postgres|mysql|mongo|api|web|app|server|proxy|nginx|kafka|rabbitmq|host|"
    r"[A-Za-z][A-Za-z0-9-]{0,62}(?:[.-][A-Za-z0-9-]{1,63}){1,8}):\d{2,5}(?![\w.:])"
)
WITH_LETTER_FIRST = _any(
    version=r"[vV]\d{1,4}(?:\.\d+){0,4}(?:[-+.][0-9A-Za-z]+)*+(?![A-Za-z0-9])",
    id=rf"{_UUID}|{_MAC}|(?:sha\d{{1,3}}:)?{_HASH}",
    host=_IPV6,
)
PINNED = lazy_pattern(r"(?<![\w.-])[A-Za-z][\w.-]{0,60}(?:[=<>~!]=)$")
ID_WORD_END = lazy_pattern(r"[0-9](?:[.+-]?[A-Za-z0-9]+)*")
ID_WORD = lazy_pattern(rf"[A-Za-z][A-Za-z0-9]*+{_TAIL}")
