"""What stands in place of a secret: its kind, and of some the last characters."""

from __future__ import annotations

import re
from collections.abc import Sequence

from desktop_app.core.secrets.folding import folded
from desktop_app.core.secrets.kinds import Secret, SecretKind

_TAIL = 4
_LONG_KEY = 32
"""A key at least this long stays unknown with four of its characters shown."""
_ENGLISH = {
    SecretKind.API_KEY: "API key",
    SecretKind.TOKEN: "token",
    SecretKind.PASSWORD: "password",
    SecretKind.PRIVATE_KEY: "private key",
    SecretKind.RESIDENT_NUMBER: "resident number",
    SecretKind.CARD_NUMBER: "card number",
    SecretKind.PASSPORT_NUMBER: "passport number",
    SecretKind.LICENCE_NUMBER: "licence number",
    SecretKind.SOCIAL_SECURITY_NUMBER: "social security number",
    SecretKind.ACCOUNT_NUMBER: "account number",
}
_KOREAN = {
    SecretKind.API_KEY: "API 키",
    SecretKind.TOKEN: "토큰",
    SecretKind.PASSWORD: "비밀번호",
    SecretKind.PRIVATE_KEY: "개인 키",
    SecretKind.RESIDENT_NUMBER: "주민등록번호",
    SecretKind.CARD_NUMBER: "카드 번호",
    SecretKind.PASSPORT_NUMBER: "여권 번호",
    SecretKind.LICENCE_NUMBER: "면허 번호",
    SecretKind.SOCIAL_SECURITY_NUMBER: "사회보장번호",
    SecretKind.ACCOUNT_NUMBER: "계좌 번호",
}
_KINDS = {name: kind for names in (_ENGLISH, _KOREAN) for kind, name in names.items()}
_MASK = re.compile(rf"⟨({'|'.join(_KINDS)})(?: …[A-Za-z0-9]{{{_TAIL}}})?⟩")
_HANGUL = re.compile("[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")


def masked(text: str, secrets: Sequence[Secret], *, like: str = "") -> str:
    """The text with each secret (in order, apart) replaced by its kind, as `⟨API key …STAA⟩`.

    The kind is named in the language of the text, or of the one it is a part of (`like`). The last four characters
    stay of a long key and of a card, where they tell one from another and help nobody to guess the rest (consoles of
    providers and receipts show as much); nothing stays of a password or of the number of a person. A text masked once
    stays as it is.
    """
    names = _KOREAN if _HANGUL.search(like or text) else _ENGLISH
    parts, at = [], 0
    for secret in secrets:
        parts += [
            text[at : secret.start],
            f"⟨{names[secret.kind]}{_tail(text[secret.start : secret.end], secret.kind)}⟩",
        ]
        at = secret.end
    return "".join([*parts, text[at:]])


def masks_in(text: str) -> list[tuple[int, int]]:
    """Where masks stand in a text."""
    return [found.span() for found in _MASK.finditer(text)]


def kinds_masked(text: str) -> tuple[SecretKind, ...]:
    """What the masks of a text stand for, each kind once, in order."""
    return tuple(dict.fromkeys(_KINDS[found[1]] for found in _MASK.finditer(text)))


def _tail(secret: str, kind: SecretKind) -> str:
    plain = "".join(char for char in folded(secret).text if char.isascii() and char.isalnum())
    if kind is SecretKind.CARD_NUMBER or (kind is SecretKind.API_KEY and len(plain) >= _LONG_KEY):
        return f" …{plain[-_TAIL:]}"
    return ""
