"""What kinds of secrets there are, and where one stands in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum


class SecretKind(StrEnum):
    """What a secret is; its words are `secrets.kind.*` in the catalogue."""

    API_KEY = "api_key"
    TOKEN = "token"
    """A token of a session, or what stands in an Authorization header."""
    PASSWORD = "password"
    PRIVATE_KEY = "private_key"
    RESIDENT_NUMBER = "resident_number"
    """Of a Korean resident, foreigners included."""
    CARD_NUMBER = "card_number"
    PASSPORT_NUMBER = "passport_number"
    LICENCE_NUMBER = "licence_number"
    """Of a Korean driver."""
    SOCIAL_SECURITY_NUMBER = "social_security_number"
    """Of a resident of the United States."""
    ACCOUNT_NUMBER = "account_number"
    """Of an account at a bank."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A secret in a text: characters `start` up to `end`."""

    start: int
    end: int
    kind: SecretKind


FindSecrets = Callable[[str], tuple[Secret, ...]]
"""The secrets of a text, in order and apart."""


def apart(secrets: Iterable[Secret]) -> tuple[Secret, ...]:
    """The same in order, those that overlap made one; it is of the kind of the longest, of the first where two are
    as long."""
    joined: list[tuple[Secret, int]] = []
    for secret in sorted(secrets, key=lambda one: (one.start, -one.end)):
        length = secret.end - secret.start
        if joined and secret.start < joined[-1][0].end:
            last, longest = joined[-1]
            kind = secret.kind if length > longest else last.kind
            joined[-1] = Secret(last.start, max(last.end, secret.end), kind), max(longest, length)
        else:
            joined.append((secret, length))
    return tuple(secret for secret, _ in joined)
