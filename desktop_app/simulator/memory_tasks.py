"""Requests about long-term memory that are no conversation: what to learn of an exchange, how facts stand to another.

They are told by the first line of the last text. An extraction has the quoted talk in the block `<exchange_to_read>` of
the same message, a judgement the facts in the block `<facts_to_compare>`; nothing else is looked at.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .conversation import Turn, task_asked

_ENTRY = re.compile(r'<message number="\d+" from="(person|assistant)">(.*?)</message>', re.DOTALL)
_NEW = re.compile(r"<new>(.*?)</new>", re.DOTALL)
_KEPT = re.compile(r'<kept number="(\d+)">(.*?)</kept>', re.DOTALL)
_ESCAPED = re.compile(r"&lt;(?=/?\w)")


@dataclass(frozen=True)
class Statement:
    """A fact as it is quoted: its key and its value."""

    key: str
    value: str


@dataclass(frozen=True)
class Exchange:
    """What the person and the assistant said, each in order."""

    person: tuple[str, ...]
    assistant: tuple[str, ...]


def prompt_of(turns: list[Turn]) -> str:
    """The last text, which asks for one of the two."""
    texts = [block["text"] for block in turns[-1].blocks if block["type"] == "text"]
    return next((text for text in reversed(texts) if task_asked(text)), "")


def exchange_of(turns: list[Turn]) -> Exchange:
    """The talk quoted for an extraction."""
    said = [(by, _ESCAPED.sub("<", text)) for by, text in _ENTRY.findall(_quoted(turns, "exchange_to_read"))]
    return Exchange(
        tuple(text for by, text in said if by == "person"), tuple(text for by, text in said if by == "assistant")
    )


def comparison_of(turns: list[Turn]) -> tuple[Statement, dict[int, Statement]]:
    """The new fact and those it is compared with, by their numbers."""
    quoted = _quoted(turns, "facts_to_compare")
    new = next(iter(_statements(_NEW.findall(quoted))), Statement("", ""))
    kept = {int(number): one for number, text in _KEPT.findall(quoted) for one in _statements([text])}
    return new, kept


def _quoted(turns: list[Turn], tag: str) -> str:
    texts = [block["text"] for block in turns[-1].blocks if block["type"] == "text"]
    return "\n".join(text for text in texts if text.lstrip().startswith(f"<{tag}>"))


def _statements(texts: list[str]) -> Iterator[Statement]:
    for text in texts:
        try:
            given: Any = json.loads(text)
        except ValueError:
            continue
        if isinstance(given, dict):
            yield Statement(str(given.get("key", "")), str(given.get("value", "")))
