"""The forms of a summary: a memo of sections, a running summary, a few sentences for each of several episodes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from .memo_content import Content
from .memo_facts import clip
from .memo_phrases import phrase
from .memo_sections import kinds_of
from .tokens import count_text

_UP_TO = {"goal": 40, "decisions": 90, "dead": 110, "next": 130, "progress": 160}  # words of a paragraph, by section
_GOAL, _SHORTEST = 140, 48  # characters of a sentence of an episode, and where room is scarce
_SENTENCE_END = re.compile(r"(?<=[^\s.!?。])[.!?。]+(?=\s)")
_LOOSE_END = " .!?。;"
_ENDED = (".", "!", "?", "…", "。", '"', "”", ":")


class Form(Protocol):
    """A summary that can be written at several lengths."""

    def text(self, around: int, most_rank: int) -> str:
        """With `around` characters beside each value and facts up to a rank."""

    def parts(self) -> Sequence[Content]:
        """The contents it is made of."""


@dataclass
class Sections:
    """A memo: its headings in order, each with its lines or the word for none."""

    content: Content
    headings: Sequence[str]
    none: str

    def parts(self) -> Sequence[Content]:
        return [self.content]

    def text(self, around: int, most_rank: int) -> str:
        said = {row for kind in ("goal", "decisions", "dead") for row in self.content.lines.get(kind, [])}
        facts = self.content.fact_rows(around, most_rank, but=said)
        parts = []
        for heading, kind in zip(self.headings, kinds_of(self.headings), strict=True):
            rows = facts if kind == "facts" else self.content.rows(kind)
            parts.append("\n".join([heading, *(f"- {row}" for row in rows)] if rows else [heading, self.none]))
        return "\n\n".join(parts)


@dataclass
class Running:
    """A paragraph of at most some hundred words, then the exact values as a list."""

    content: Content
    none: str

    def parts(self) -> Sequence[Content]:
        return [self.content]

    def text(self, around: int, most_rank: int) -> str:
        chosen: list[str] = []
        plain: set[str] = set()
        words = 0
        for kind, most in _UP_TO.items():
            bare = [*(self.content.claims if kind == "decisions" else []), *self.content.lines.get(kind, [])]
            for row, sentence in zip(self.content.rows(kind), bare, strict=True):
                longer = words + len(row.split())
                if sentence not in plain and (longer <= most or not chosen):
                    chosen.append(row if row.endswith(_ENDED) else row + ".")
                    plain.add(sentence)
                    words = longer
        facts = self.content.fact_rows(around, min(most_rank, 1), but=plain)
        parts = [" ".join(chosen), "\n".join(f"- {row}" for row in facts)]
        return "\n\n".join(filter(None, parts)) or self.none


@dataclass
class Episodes:
    """Each heading with at most three sentences: what it was about, its decisions and values, what was left open."""

    contents: list[tuple[str, Content]]
    korean: bool
    none: str

    def parts(self) -> Sequence[Content]:
        return [content for _, content in self.contents]

    def text(self, around: int, most_rank: int) -> str:
        return "\n\n".join(f"{heading}\n{self._told(c, around, most_rank)}" for heading, c in self.contents)

    def _told(self, content: Content, around: int, most_rank: int) -> str:
        first = content.lines.get("goal", [])[:1]
        most = _GOAL if around else _SHORTEST
        goal = [clip(row, most) for row in content.rows("goal")[:1]]
        told_whole = [row for row in first if len(row) <= most]
        values = [*content.claims, *content.fact_rows(around, min(most_rank, 1), but=told_whole)]
        decided = [row for row in content.lines.get("decisions", []) if row not in values]
        last = [clip(row, most) for row in content.rows("progress")[-1:]]
        told = [_one(row) + "." for row in goal]
        for key, rows in (("values" if values else "decided", values or decided), ("open", last)):
            if rows:
                told.append(phrase(self.korean, key, rows="; ".join(map(_one, rows))))
        return " ".join(told) or self.none


def _one(row: str) -> str:
    """A row as a part of one sentence: no sentence ends within it."""
    return _SENTENCE_END.sub(";", row).rstrip(_LOOSE_END)


def fitting(form: Form, usual: int, room: int) -> str:
    """The fullest text within `usual` tokens; all exact values come before that, and `room` before everything."""
    for around, rank, limit in ((120, 2, usual), (24, 2, usual), (60, 1, usual), (24, 1, room), (24, 0, room)):
        text = form.text(around, rank)
        if count_text(text) <= limit:
            return text
    text = form.text(0, 0)
    while (size := count_text(text)) > room and any(content.facts for content in form.parts()):
        for content in form.parts():
            content.shrink(max(1 / 8, 0.9 - room / size))
        text = form.text(0, 0)
    return text
