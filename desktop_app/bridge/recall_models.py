"""A find in words: what it is, whose it is, what it says, and what its score is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from desktop_app.bridge.fact_words import day_word
from desktop_app.bridge.figures import clock, number
from desktop_app.bridge.visible_text import visible_line, visible_text
from desktop_app.core.passages import PassageKind
from desktop_app.core.recall.passage_hits import PassageHit
from desktop_app.core.recall.recollection import Fate
from desktop_app.core.words import Words
from desktop_app.services.recalling import ShownFind

_NAME = 200
_TEXT = 6_000
_LEAST = 0.005
"""Parts that would be shown as 0.00 are left out."""


@dataclass(frozen=True, slots=True)
class ScorePart:
    """One part of a score with its name; below zero it takes away."""

    name: str
    value: float


@dataclass(frozen=True, slots=True)
class FindRow:
    """`about` says whose it is; `gone` where it was deleted since, `fate_word` is empty for what was told,
    `in_prompt` where the model sees it anyway.

    `fact_id` is that of a fact there is, `source` conversation and message of what was said there.
    """

    kind: PassageKind
    kind_word: str
    name: str
    about: str
    text: str
    score: float
    parts: tuple[ScorePart, ...]
    fate_word: str = ""
    gone: bool = False
    in_prompt: bool = False
    fact_id: str = ""
    source: tuple[str, str] | None = None

    @property
    def told(self) -> bool:
        """Whether it was told."""
        return not self.fate_word

    @property
    def positive(self) -> float:
        """What its parts add up to before anything is taken away."""
        return sum(part.value for part in self.parts if part.value > 0)

    @property
    def parts_line(self) -> str:
        """`words +0.55 · meaning +0.45`; a line is broken between parts, never inside one."""
        return " · ".join(f"{part.name} {signed(part.value)}".replace(" ", "\u00a0") for part in self.parts)


def find_rows(words: Words, finds: Iterable[ShownFind]) -> list[FindRow]:
    """Finds in the language in use."""
    return [_row(words, shown) for shown in finds]


def best_of(rows: Iterable[FindRow]) -> dict[PassageKind, float]:
    """For each kind the most that the parts of one score add up to: scores of different kinds cannot be compared."""
    most: dict[PassageKind, float] = {}
    for row in rows:
        most[row.kind] = max(most.get(row.kind, 0.0), row.positive)
    return most


def _row(words: Words, shown: ShownFind) -> FindRow:
    find, passage, say = shown.find, shown.passage, words.say
    gone = shown.fact is None and passage is None
    parts = [ScorePart(say(f"recall.part.{name}"), value) for name, value in find.parts.items() if abs(value) >= _LEAST]
    return FindRow(
        find.kind,
        say(f"recall.kind.{find.kind}"),
        say("recall.panel.gone") if gone else _name(words, shown),
        _about(words, shown),
        say(f"recall.panel.gone_{find.kind}") if gone else _text(shown),
        find.score,
        tuple(sorted(parts, key=lambda part: -part.value)),
        "" if find.fate is Fate.TOLD else say(f"recall.fate.{find.fate}"),
        gone,
        find.fate is Fate.IN_PROMPT,
        shown.fact.id if shown.fact is not None else "",
        (passage.conversation_id, passage.source_id) if passage is not None and passage.conversation_id else None,
    )


def signed(value: float) -> str:
    """`+0.55`, with a true minus."""
    return f"{value:+.2f}".replace("-", "\u2212")


def counts(words: Words, rows: Iterable[FindRow]) -> str:
    """How many of each kind: `2 facts · 1 passage of a conversation`."""
    found = [row.kind for row in rows]
    said = [words.say(f"recall.panel.count_{kind}", n=found.count(kind)) for kind in PassageKind if kind in found]
    return " · ".join(said)


def all_stand(words: Words, facts: int) -> str:
    """That no facts were searched, since all of them stand in the prompt."""
    return words.say("recall.panel.all_stand", n=facts) if facts else ""


def _name(words: Words, shown: ShownFind) -> str:
    if shown.fact is not None:
        return visible_line(shown.fact.key, _NAME)
    title = shown.passage.title if shown.passage is not None else ""
    return visible_line(title, _NAME) or words.say("recall.panel.untitled")


def _about(words: Words, shown: ShownFind) -> str:
    passage = shown.passage
    if shown.fact is not None:
        return visible_line(shown.fact.category, _NAME)
    if passage is None:
        return ""
    if passage.kind is PassageKind.DOCUMENT:
        return words.say("recall.panel.part_of_document", place=number(words, passage.place))
    who = words.say("recall.panel.by_you" if passage.by_person else "recall.panel.by_assistant")
    return ", ".join(filter(None, (who, _moment(words, passage))))


def _moment(words: Words, passage: PassageHit) -> str:
    if passage.when is None:
        return ""
    today, at = datetime.now().astimezone().date(), clock(passage.when)
    if passage.when.astimezone().date() == today:
        return at
    return f"{day_word(words, passage.when, today)} {at}"


def _text(shown: ShownFind) -> str:
    text = shown.fact.value if shown.fact is not None else shown.passage.text if shown.passage is not None else ""
    shortened = text if len(text) <= _TEXT else f"{text[:_TEXT].rstrip()}…"
    return visible_text(shortened)
