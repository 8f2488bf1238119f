"""What can be recalled: facts, and passages of what was said or of documents. A passage is a span of a longer text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PassageKind(StrEnum):
    """What a text is a piece of; each kind has vectors and an index of its own."""

    FACT = "fact"
    TURN = "turn"
    """Of what the person or the assistant said."""
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Passage:
    """Characters `start` to `end` of a text, its `part`-th piece, counted from 0."""

    part: int
    start: int
    end: int
