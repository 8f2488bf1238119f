"""The kinds of exact values, a value as it stands in a text, and a span that may become one."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ValueKind(StrEnum):
    """What an exact value is."""

    PATH = "path"
    URL = "url"
    EMAIL = "email"
    ID = "id"
    HOST = "host"
    PHONE = "phone"
    VERSION = "version"
    NUMBER = "number"
    DATE = "date"
    """A date, a time of day, or both, with the zone."""
    AMOUNT = "amount"
    CONSTANT = "constant"
    COMMAND = "command"
    CODE = "code"
    QUOTE = "quote"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class ExactValue:
    """A value at `start` to `end` of its text; `text` is that slice, byte for byte."""

    kind: ValueKind
    text: str
    start: int
    end: int


Span = tuple[int, int, ValueKind]
"""Start, end and kind of what may be a value."""
