"""Facts without secrets: every text of one is looked through, key and value together, for a key is a label too."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from desktop_app.core.facts import Fact, FactDraft, FactSource
from desktop_app.core.secrets.kinds import Secret, SecretKind
from desktop_app.core.secrets.masking import kinds_masked, masked

Find = Callable[[str], tuple[Secret, ...]]
"""Finds the secrets of a text: `core.ports.SecretDetector.find`."""
_BETWEEN = ": "
_Text = TypeVar("_Text", Fact, FactDraft)


def masked_fact(fact: _Text, find: Find) -> _Text:
    """A fact or a draft with its secrets masked; the very same one where there are none."""
    key, value = masked_pair(fact.key, fact.value, find)
    category, scope = (masked_text(text, find) if text else "" for text in (fact.category, fact.scope))
    source = _source(fact.source, find)
    if (key, value, category, scope, source) == (fact.key, fact.value, fact.category, fact.scope, fact.source):
        return fact
    return replace(fact, key=key, value=value, category=category, scope=scope, source=source)


def masked_pair(key: str, value: str, find: Find) -> tuple[str, str]:
    """Key and value with what is secret in them, or in the one because of the other, masked."""
    whole = f"{key}{_BETWEEN}{value}"
    secrets = find(whole)
    if not secrets:
        return key, value
    end, start = len(key), len(key) + len(_BETWEEN)
    in_key = [Secret(one.start, min(one.end, end), one.kind) for one in secrets if one.start < end]
    in_value = [Secret(max(one.start, start) - start, one.end - start, one.kind) for one in secrets if one.end > start]
    return masked(key, in_key, like=whole), masked(value, in_value, like=whole)


def masked_text(text: str, find: Find) -> str:
    """A text with its secrets masked."""
    secrets = find(text)
    return masked(text, secrets) if secrets else text


def kinds_in(fact: Fact | FactDraft) -> tuple[SecretKind, ...]:
    """What is masked in key, value and category, each kind once, in order."""
    return kinds_masked("\n".join((fact.key, fact.value, fact.category)))


def _source(source: FactSource | None, find: Find) -> FactSource | None:
    if source is None or not source.quote:
        return source
    quote = masked_text(source.quote, find)
    return source if quote == source.quote else replace(source, quote=quote)
