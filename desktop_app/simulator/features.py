"""What this server offers: capabilities that can be taken away, and a lower trigger for tests of compaction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .models import SWITCHABLE, Model, find_model

LEAST_TRIGGER = 50_000
"""Tokens: the lowest threshold of a compaction that the API takes."""


@dataclass(frozen=True)
class Features:
    """`without` names capabilities (`SWITCHABLE`) no model has; `least_trigger` is in tokens."""

    without: frozenset[str] = frozenset()
    least_trigger: int = LEAST_TRIGGER

    def model(self, name: str) -> Model | None:
        """The row of an id or alias with what is left to it, or None."""
        row = find_model(name)
        return row if row is None else replace(row, without=self.without)


EVERYTHING = Features()


def named(capabilities: Iterable[object]) -> frozenset[str]:
    """Names of capabilities, checked. Raises ValueError for one that cannot be switched off."""
    names = frozenset(map(str, capabilities))
    if unknown := sorted(names - set(SWITCHABLE)):
        raise ValueError(f"no capability {', '.join(unknown)}; there are {', '.join(SWITCHABLE)}")
    return names


def changed(features: Features, given: Any) -> Features:
    """The features with `without` (a list, in place of the one before) or `least_trigger` given anew.

    Raises ValueError for anything else.
    """
    if not isinstance(given, dict) or not given or given.keys() - {"without", "least_trigger"}:
        raise ValueError('give {"without": [CAPABILITY, ...], "least_trigger": TOKENS}')
    trigger = given.get("least_trigger", features.least_trigger)
    if not isinstance(trigger, int) or isinstance(trigger, bool) or trigger < 1:
        raise ValueError("least_trigger must be a number of tokens")
    without = given.get("without")
    if without is not None and not isinstance(without, list):
        raise ValueError("without must be a list of capabilities")
    return Features(features.without if without is None else named(without), trigger)
