"""The facts of a handover memo: sentences of the conversation with exact values in them, and what the user told."""

from __future__ import annotations

from dataclasses import dataclass

from .arithmetic import expressions
from .intents import GREETING, THANKS, is_statement, tells_nothing, wanted_length
from .memo_sources import Said
from .memo_values import exact_values, window
from .phrases import is_own
from .remembering import tellings

_STAYING = ("goal", "decisions", "dead")  # sections a later memo keeps, as far as there is room in them
_PASSING = ("progress", "next")  # sections it writes anew


@dataclass(frozen=True)
class Fact:
    """A line of the facts: `rank` 0 told by the user, 1 by tools or the assistant, 2 without an exact value."""

    sentence: str
    rank: int
    plain: bool = True  # whether numbers without a unit count as exact
    whole: bool = False  # whether it is never shortened

    def values(self) -> list[str]:
        """Its exact values, from left to right."""
        return [value.text for value in exact_values(self.sentence, plain_numbers=self.plain)]

    def line(self, around: int) -> str:
        """The sentence; of one much longer than `around` characters the values with that much on both sides."""
        if self.whole or len(self.sentence) <= around * 2:
            return self.sentence
        values = exact_values(self.sentence, plain_numbers=self.plain)
        return window(self.sentence, values, around) if values else clip(self.sentence, around * 2)


def facts_of(said: list[Said], earlier: dict[str, list[str]]) -> list[Fact]:
    """The facts of the earlier memo, then sentence by sentence what holds exact values or tells something."""
    facts = [Fact(line, 0 if Fact(line, 0).values() else 2) for line in earlier.get("facts", [])]
    others = [Fact(line, 0) for kind in _STAYING for line in earlier.get(kind, [])]
    facts += [fact for fact in others if fact.values()]
    known = {value for fact in facts for value in fact.values()}
    for line in (line for kind in _PASSING for line in earlier.get(kind, [])):
        fact = None if is_own(line.partition(": ")[2]) else _with_new_values(line, 0, known)
        if fact is not None:
            facts.append(fact)
            known.update(fact.values())
    sentences = {fact.sentence for fact in facts}
    for one in said:
        if one.by == "assistant" and is_own(one.text):
            continue
        for sentence in one.sentences:
            fact = _fact(one, sentence, known)
            if fact is not None and fact.sentence not in sentences:
                facts.append(fact)
                sentences.add(fact.sentence)
                known.update(fact.values())
    return facts


def _fact(one: Said, sentence: str, known: set[str]) -> Fact | None:
    """A sentence as a fact; what only asks, and what others than the user say, counts for values not known yet."""
    if expressions(sentence) or wanted_length(sentence):
        return None
    if one.by == "document" or (one.by == "user" and not tells_nothing(sentence)):
        told = Fact(sentence, 0)
        if told.values():
            return told
        tells = is_statement(sentence) or bool(tellings(sentence))
        return Fact(sentence, 2) if tells and not is_small_talk(sentence) else None
    return _with_new_values(f"{one.tool}: {sentence}" if one.tool else sentence, 0 if one.by == "user" else 1, known)


def _with_new_values(sentence: str, rank: int, known: set[str]) -> Fact | None:
    fact = Fact(sentence, rank, plain=False)
    return fact if any(value not in known for value in fact.values()) else None


def is_small_talk(sentence: str) -> bool:
    """Whether a sentence is only a greeting or thanks."""
    return bool(GREETING.match(sentence) or THANKS.match(sentence))


def clip(text: str, most: int) -> str:
    """A text of at most `most` characters; a sign stands for an end that was left out."""
    return text if len(text) <= most else text[: max(most - 1, 0)].rstrip() + "…"
