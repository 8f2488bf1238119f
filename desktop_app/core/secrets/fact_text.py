"""Facts without secrets: every text of one is looked through, key and value together, for a key is a label too."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from desktop_app.core.facts import Fact, FactDraft, FactSource
from desktop_app.core.secrets.finding import unmasked
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
    source = _source(fact, find)
    if (key, value, category, scope, source) == (fact.key, fact.value, fact.category, fact.scope, fact.source):
        return fact
    return replace(fact, key=key, value=value, category=category, scope=scope, source=source)


def masked_pair(key: str, value: str, find: Find) -> tuple[str, str]:
    """Key and value with what is secret in them, or in the one because of the other, masked."""
    whole = f"{key}{_BETWEEN}{value}"
    in_key, in_value = _in_pair(key, value, find)
    return masked(key, in_key, like=whole), masked(value, in_value, like=whole)


def _in_pair(key: str, value: str, find: Find) -> tuple[list[Secret], list[Secret]]:
    secrets = find(f"{key}{_BETWEEN}{value}")
    end, start = len(key), len(key) + len(_BETWEEN)
    in_key = [Secret(one.start, min(one.end, end), one.kind) for one in secrets if one.start < end]
    in_value = [Secret(max(one.start, start) - start, one.end - start, one.kind) for one in secrets if one.end > start]
    return in_key, in_value


def masked_text(text: str, find: Find) -> str:
    """A text with its secrets masked."""
    secrets = find(text)
    return masked(text, secrets) if secrets else text


def kinds_in(fact: Fact | FactDraft) -> tuple[SecretKind, ...]:
    """What is masked in key, value and category, each kind once, in order."""
    return kinds_masked("\n".join((fact.key, fact.value, fact.category)))


def _source(fact: Fact | FactDraft, find: Find) -> FactSource | None:
    """Its source, with what is secret in the value masked in the quote too: there the label may stand further off."""
    source = fact.source
    if source is None or not source.quote:
        return source
    found = list(find(source.quote))
    for secret in _in_pair(fact.key, fact.value, find)[1]:
        said = re.escape(fact.value[secret.start : secret.end])
        found += [Secret(*place.span(), secret.kind) for place in re.finditer(said, source.quote)]
    quote = masked(source.quote, unmasked(source.quote, found))
    return source if quote == source.quote else replace(source, quote=quote)
