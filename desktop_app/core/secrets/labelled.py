"""Secrets known by the word before them: passwords, keys, numbers of persons and of accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from desktop_app.core.lazy_pattern import lazy_pattern
from desktop_app.core.secrets.kinds import SecretKind

Found = tuple[int, int, SecretKind]

_ASIDE = r"[\"'\])]{0,2}(?:\s?\([^()\n]{1,20}\))?"
_SIGN = rf"{_ASIDE}\s*(?P<sign>:=|=>|[:=])\s*"
# Only looked at, for what is no value may be the next label.
_VALUE = (
    r"(?=\"(?P<double>(?!\s)[^\"\n]{4,200})\"|'(?P<single>(?!\s)[^'\n]{4,200})'"
    r"|(?P<bare>(?:(?!&\w+=)[^\s\"'<>;]){4,200}))"
)
_PASSWORD = (
    r"(?:password|passwd|passphrase|passcode|(?<![A-Za-z])pwd|(?<=[a-z0-9])Pwd|(?<=_)pass"
    r"|비밀\s?번호|비번|패스워드|암호)"
)
_NAMED_KEY = (
    r"(?:(?:api|access|secret|private|auth|client|encryption|signing|bot|refresh|session|webhook|service|account)"
    r"[\s_-]?(?:key|token|secret)|(?<![A-Za-z])(?:token|secret|credential|session_?id)"
    r"|(?:API|액세스|비밀|시크릿|인증|접근)\s?(?:키|토큰)|인증키|토큰|시크릿)(?:[\s_-]?(?:번호|값|id|value))?"
)
_PASSWORD_SET = lazy_pattern(rf"{_PASSWORD}{_SIGN}{_VALUE}", re.IGNORECASE)
_PASSWORD_TOLD = lazy_pattern(
    rf"{_PASSWORD}(?:\s?(?:은|는|이)\s+|\s+is\s+|\s+)"
    r"(?P<bare>(?=[!-~]*[A-Za-z])(?=[!-~]*\d)[!-~]{6,64}|\d{4,12}(?=[*#]?(?:$|[.,!\n]|이?야|입니다|이?다|이고|임|이?에요|예요)))",
    re.IGNORECASE,
)
# Of a text that says nothing else, as key and value of a fact do, any word counts.
_PASSWORD_ALONE = lazy_pattern(
    rf"[^\n:=]{{0,60}}?(?:{_PASSWORD}|(?<![A-Za-z])pw){_ASIDE}\s*[:=]\s*([\"']?)(?P<bare>[^\s\"'⟨⟩]{{3,64}}?)[.,]?\1\s*",
    re.IGNORECASE,
)
_ABOUT_PASSWORD = lazy_pattern(
    r"(?i:yes|no|not|same|shared|saved|stored|set|unset|missing|needed|lost|forgotten|changed|rotated|expired|reset|weekly"
    r"|monthly|yearly|vault|keychain|bitwarden|lastpass|keepass|1password)"
    r"|(?:없|모르|모름|몰라|있|변경|필요|불필요|미정|미설정|설정|동일|같|생략|비공개|분실|만료|공유|재설정|초기화|보관|저장|확인|추후|나중)\S*"
)
_PIN = lazy_pattern(
    r"(?<![A-Za-z])(?:PIN|핀)(?:\s?(?:번호|number|code|코드))?(?:\s*[:=]\s*|(?:은|는)?\s+|\s+is\s+)"
    r"(?P<bare>\d{4,8})(?![\d-])"
)
_KEY_SET = lazy_pattern(rf"{_NAMED_KEY}{_SIGN}{_VALUE}", re.IGNORECASE)

_RESIDENT = lazy_pattern(
    r"(?:주민\s?등록\s?번호|주민\s?번호|외국인\s?등록\s?번호|(?i:resident(?:\s+registration)?\s+(?:number|no\b)|(?<![A-Za-z])RRN\b"
    r"|(?:alien|foreigner)\s+registration(?:\s+(?:number|no\b))?))[^0-9\n]{0,16}(?P<bare>\d{6}[\s.-]{0,3}\d{7})(?!\d)"
)
_PASSPORT = lazy_pattern(
    r"(?:여권|(?i:passport))[^0-9A-Za-z\n]{0,12}(?:(?i:number|no|is)[^0-9A-Za-z\n]{0,3}){0,2}"
    r"(?P<bare>(?i:[A-Z]{1,2})\d{7,8}|(?i:[A-Z])\d{3}(?i:[A-Z])\d{4})(?![0-9A-Za-z])"
)
_LICENCE = lazy_pattern(
    r"(?:운전\s?면허|(?i:driver'?s?\s+licen[cs]e))[^0-9\n]{0,20}"
    r"(?P<bare>\d{2}-\d{2}-\d{6}-\d{2}|\d{12})(?![\d-])"
)
_ACCOUNT = lazy_pattern(
    r"(?:계좌(?:\s?번호)?(?:는|은|가)?|(?i:(?:bank\s+)?account\s+(?:number|no\b\.?)|IBAN)(?:\s+is)?)[\s:=_-]{0,4}"
    r"(?:\(?(?:[가-힣]{2,8}|[A-Za-z]{2,8})\)?\s*){0,2}(?P<bare>\d(?:[ -]?\d){9,15})(?![\d-])"
)
_PHONE = lazy_pattern(r"01[016789]-?\d{3,4}-?\d{4}|0\d{1,2}-\d{3,4}-\d{4}|0(?:2|[3-6]\d)\d{7,8}")
_SOCIAL_SECURITY = lazy_pattern(
    r"(?:(?i:(?<![A-Za-z])SSN\b|social[\s_-]security(?:[\s_-](?:number|no\b\.?))?)|사회\s?보장\s?번호)[^0-9\n]{0,16}"
    r"(?P<bare>\d{3}([ -]?)\d{2}\2\d{4})(?![\d-])"
)
_CARD = lazy_pattern(
    r"(?:카드\s?번호|(?i:card\s+(?:number|no\b\.?)))[^0-9\n]{0,16}"
    r"(?P<bare>\d{4}(?:[ -]?\d{4}){3}|\d{4}[ -]?\d{6}[ -]?\d{5})(?!\d)"
)
_NUMBERS = (
    (_RESIDENT, SecretKind.RESIDENT_NUMBER),
    (_PASSPORT, SecretKind.PASSPORT_NUMBER),
    (_LICENCE, SecretKind.LICENCE_NUMBER),
    (_SOCIAL_SECURITY, SecretKind.SOCIAL_SECURITY_NUMBER),
    (_CARD, SecretKind.CARD_NUMBER),
)

_NO_VALUE = lazy_pattern(
    r"(?i:none|null|nil|true|false|undefined|empty|blank|required|optional|unknown|redacted|hidden|masked|string|str"
    r"|changeme|pass(?:words?|wd)?|pwd|secret|token|n/a|tbd|your[_-]?\w*|my[_-]?password|new[_-]?password"
    r"|test|example)|[*x•·.…#_-]+|\W*"
)
_EXPRESSION = lazy_pattern(
    r"(?i:os\.environ|os\.getenv|process\.env|getenv|getpass|env\b|vault:|secret(?:s|manager)?[./:]|ref\+|op://)|\$[A-Za-z_{(]"
    r"|%[A-Za-z_]+%|\{\{|\{[A-Za-z_]|@|\[|/|~/|[a-z][a-z0-9+.-]*://|[A-Za-z_]\w*\(|[A-Za-z_]+(?:\.[A-Za-z_]+)+$"
)
_PLAIN = lazy_pattern(
    r"\d{1,3}(?:[-~]\d{1,3})?(?:\+|자|자리|글자|회|번|일|개|개월|년|분|초|시간|chars?|days?|%)\S*|\d+[-~]\d+(?:자|자리|글자|일)\S*"
    r"|\d{4}[-./년]\d{1,2}(?:[-./월]\d{0,2}일?)?\S{0,3}|\S+@\S+\.[A-Za-z]{2,}\S*"
)
_STRONG = lazy_pattern(r"\d|[a-z][A-Z]|[!@#$%^&*+=~?|](?=\w)|\w[!@#$%^&*+=~?|]{2,}")


_HINT = lazy_pattern(
    "pass|pwd|pw|pin|ssn|social|key|token|secret|credential|session|resident|rrn|registration|licen|account|iban|card"
    "|비밀|비번|패스워드|암호|핀|키|토큰|시크릿|인증|주민|외국인|보장|여권|운전|계좌|카드",
    re.IGNORECASE,
)
"""A text without any of these has no label: most texts are told so in a hundredth of the time."""


def labelled(text: str) -> Iterator[Found]:
    """What stands behind a label and is no placeholder; `text` is folded."""
    if _HINT.search(text) is None:
        return
    for found in _PASSWORD_SET.finditer(text):
        start, end = _given(found, text)
        if is_password(text[start:end], tight=found["sign"] == "=" and not text[found.start("sign") - 1].isspace()):
            yield start, end, SecretKind.PASSWORD
    alone = _PASSWORD_ALONE.fullmatch(text)
    if alone and not (
        _is_nothing(alone["bare"]) or _PLAIN.fullmatch(alone["bare"]) or _ABOUT_PASSWORD.fullmatch(alone["bare"])
    ):
        yield *alone.span("bare"), SecretKind.PASSWORD
    for pattern in (_PASSWORD_TOLD, _PIN):
        for found in pattern.finditer(text):
            if not _is_nothing(found["bare"]):
                yield *found.span("bare"), SecretKind.PASSWORD
    for found in _KEY_SET.finditer(text):
        start, end = _given(found, text)
        if is_key(text[start:end]):
            yield start, end, SecretKind.API_KEY
    for pattern, kind in _NUMBERS:
        for found in pattern.finditer(text):
            yield *found.span("bare"), kind
    for found in _ACCOUNT.finditer(text):
        if not _PHONE.fullmatch(found["bare"]):
            yield *found.span("bare"), SecretKind.ACCOUNT_NUMBER


def is_password(value: str, *, tight: bool = False) -> bool:
    """Whether what stands behind "password:" is one, and not a word about it: in `password=word` nearly all is."""
    if _is_nothing(value) or _PLAIN.fullmatch(value):
        return False
    return bool(_STRONG.search(value)) or (tight and value.isascii())


def is_key(value: str) -> bool:
    """Whether what stands behind "token:" or the like has the length and the letters of a key."""
    if _is_nothing(value) or not re.fullmatch(r"[A-Za-z0-9_\-./+~:]{10,}={0,2}", value):
        return False
    digits = sum(char.isdigit() for char in value)
    if digits == 0 or digits == len(value):
        return False
    return len(value) >= 16 or (value.isalnum() and digits >= 2)


def is_placeholder(value: str) -> bool:
    """Whether a value stands for one that is given elsewhere: `${PASSWORD}`, `os.environ[...]`, `****`."""
    return _is_nothing(value)


def _is_nothing(value: str) -> bool:
    return bool(_NO_VALUE.fullmatch(value) or _EXPRESSION.match(value))


def _given(found: re.Match[str], text: str) -> tuple[int, int]:
    """Where the value stands, without the signs that end a sentence or close a bracket."""
    name = next(one for one in ("double", "single", "bare") if found[one] is not None)
    start, end = found.span(name)
    if name == "bare":
        while end > start and text[end - 1] in ".,)]}":
            end -= 1
    return start, end
