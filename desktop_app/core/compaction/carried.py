"""What of folded messages survives word for word: the person's standing rules, and what never got a whole answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from desktop_app.core.compaction.language import language_of
from desktop_app.core.context import CUT_REASONS, refused_messages
from desktop_app.core.conversation import Message, MessageState, Origin, Role, is_blank, shows_nothing, tool_calls
from desktop_app.core.standing_rules.own_words import read_parts, sentences
from desktop_app.core.standing_rules.rule_words import is_lasting, worth_reading
from desktop_app.core.text_cut import cut_ahead, cut_back

LONGEST_WHOLE = 4_000
"""Characters up to which a message is carried whole."""
_AN_END = 1_500
_LEFT_OUT = {
    "en": "[… {count:,} characters left out here; the whole message is in the archive …]",
    "ko": "[… 여기서 {count:,}자를 생략했습니다. 메시지 전체는 보관함에 있습니다 …]",
}


@dataclass(frozen=True, slots=True)
class Carried:
    """What stands word for word behind the body of a summary, section by section. `files` are lines that point to
    attachments, `values` lines that hold exact values."""

    rules: tuple[str, ...] = ()
    question: str = ""
    unfinished: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def standing_rules(messages: Sequence[Message]) -> tuple[str, ...]:
    """The sentences in which the person set a rule that lasts, or lifted one, byte for byte, oldest first.

    Only typed words count, none that are quoted or fenced, none of a refused turn. A sentence said again stands where
    it was said last: the order tells what holds.
    """
    refused = refused_messages(messages, open_end=False)
    texts = [message.text for message in messages if message.origin is Origin.TYPED and message.id not in refused]
    found: dict[str, None] = {}
    for text, places in _worth_reading(texts):
        for sentence in sentences(text, places):
            whole = is_lasting(sentence.said)
            for one in [sentence] if whole else [item for item in sentence.items if is_lasting(item.said)]:
                found.pop(one.text, None)
                found[one.text] = None
    return tuple(found)


def unfinished(messages: Sequence[Message]) -> tuple[str, ...]:
    """What the person asked in turns that never got a whole answer: stopped, broken off, cut, or not answered at all.

    Oldest first. A refused turn is no such, nor what was asked again word for word later. Messages of the person
    without an answer in between are one turn. Of one longer than 4,000 characters head and tail stand here.
    """
    refused = refused_messages(messages, open_end=False)
    asked: dict[str, bool] = {}
    for turn in _turns(messages):
        done = _answered(turn) or any(message.id in refused for message in turn)
        for message in turn:
            if message.origin is Origin.TYPED and not is_blank(text := message.text):
                asked.pop(text, None)
                asked[text] = done
    still = [text for text, done in asked.items() if not done]
    if all(len(text) <= LONGEST_WHOLE for text in still):
        return tuple(still)
    language = language_of(messages)
    return tuple(word_for_word(text, language) for text in still)


def word_for_word(text: str, language: str) -> str:
    """A message as it is carried: whole, or head and tail of one too long for that, with a line that says so."""
    if len(text) <= LONGEST_WHOLE:
        return text
    head, tail = text[: cut_back(text, _AN_END)], text[cut_ahead(text, len(text) - _AN_END) :]
    line = _LEFT_OUT[language].format(count=len(text) - len(head) - len(tail))
    return f"{head}\n{line}\n{tail}"


def _worth_reading(texts: Sequence[str]) -> Iterator[tuple[str, list[int]]]:
    """The texts in which words stand without which no sentence sets a rule, with the places of those words.

    They are looked for in all texts at once: of a long conversation most messages are never read any closer.
    """
    parts = [(number, start, end) for number, text in enumerate(texts) for start, end in read_parts(text)]
    pieces = [_plain(texts[number][start:end]) for number, start, end in parts]
    begins = list(accumulate((len(piece) + 1 for piece in pieces), initial=1))
    places: dict[int, list[int]] = {}
    for place in worth_reading("\n" + "\n".join(pieces)):
        part = bisect_right(begins, place) - 1
        number, start, _ = parts[part]
        places.setdefault(number, []).append(place - begins[part] + start)
    for number in sorted(places):
        yield texts[number], places[number]


def _plain(text: str) -> str:
    """In small letters with straight apostrophes, equally long."""
    lowered = text.lower()
    # A letter that becomes two when it is made small would move all places behind it.
    return (lowered if len(lowered) == len(text) else text).replace("’", "'")


def _turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The messages by turn: one begins with a typed message, unless nothing was answered to the one before."""
    turns: list[list[Message]] = []
    answered = True
    for message in messages:
        if not turns or (answered and message.origin is Origin.TYPED):
            turns.append([])
            answered = False
        answered = answered or message.role is Role.ASSISTANT
        turns[-1].append(message)
    return turns


def _answered(turn: Sequence[Message]) -> bool:
    last = turn[-1]
    return (
        last.role is Role.ASSISTANT
        and last.state is MessageState.COMPLETE
        and last.stop_reason not in ("pause_turn", *CUT_REASONS)
        and not tool_calls(last.blocks)
        and not shows_nothing(last.blocks)
    )
