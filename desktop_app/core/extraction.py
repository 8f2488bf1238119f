"""What is to be learnt of an exchange: what a model is asked, and which of its answers may wait as facts.

The model only points at words of the person. A candidate counts when its quote stands word for word in the person's own
message, in sentences that tell something of them, and its value adds nothing to these: no exact value that does not
stand there, and few other words.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from desktop_app.core.compaction.quoting import as_data
from desktop_app.core.conversation import Message
from desktop_app.core.errors import BadInput
from desktop_app.core.exact_values.finding import find_values
from desktop_app.core.fact_prompts import extraction_prompt
from desktop_app.core.facts import FactActor, FactDraft, FactOrigin, FactSource, clean_category, clean_key, clean_value
from desktop_app.core.gate import is_run_of
from desktop_app.core.model_json import rows_in
from desktop_app.core.search_words import query_words
from desktop_app.core.self_told import doubt_of, own_sentences, tells_of_self

MOST_FACTS = 4
"""Facts that may come of one exchange."""
_LONGEST_TYPED = 8_000
_LONGEST_ANSWER = 2_000
_STANDING_SHARE = 0.6
_SHORT_VALUE = 3
_SIGNS = "\"'“”‘’«»「」『』`.,;:!?()"

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "facts": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("key", "value", "category", "quote")},
                "required": ["key", "value", "category", "quote"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["facts"],
    "additionalProperties": False,
}
"""The form of the answer, for an endpoint that can hold one to it."""


class Dropped(StrEnum):
    """Why a candidate is no fact."""

    FORM = "form"
    """No key, value or quote, or a too long one."""
    QUOTE = "quote"
    """The quote does not stand in the person's message."""
    NOT_OWN = "not_own"
    """It stands there in words that are quoted, pasted or fenced."""
    DOUBTFUL = "doubtful"
    """In a sentence that supposes, asks, reports, gives a role or names the person nowhere."""
    VALUES = "values"
    """The value holds a number, path, date or name that does not stand in the sentence."""
    ADDED = "added"
    """The value says more than the sentence it is taken from."""
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class Extracted:
    """The facts an answer holds, and how many of its candidates were dropped for what."""

    drafts: tuple[FactDraft, ...] = ()
    dropped: Mapping[Dropped, int] = field(default_factory=dict)


def extraction_texts(typed: str, answer: str, language: str) -> tuple[str, str]:
    """The exchange as quoted data, and what is asked about it. Of long texts the beginning and the end are read."""
    quoted = [
        "<exchange_to_read>",
        f'<message number="1" from="person">{as_data(_ends(typed, _LONGEST_TYPED))}</message>',
        f'<message number="2" from="assistant">{as_data(_ends(answer, _LONGEST_ANSWER))}</message>',
        "</exchange_to_read>",
    ]
    return "\n".join(quoted), extraction_prompt(language, MOST_FACTS)


def read_extraction(text: str, question: Message) -> Extracted:
    """The facts in an answer about the exchange that `question` opened."""
    drafts: list[FactDraft] = []
    dropped: Counter[Dropped] = Counter()
    for row in rows_in(text, "facts"):
        found = _candidate(row, question)
        if isinstance(found, Dropped):
            dropped[found] += 1
        elif len(drafts) == MOST_FACTS:
            dropped[Dropped.TOO_MANY] += 1
        elif all((found.key, found.value) != (draft.key, draft.value) for draft in drafts):
            drafts.append(found)
    return Extracted(tuple(drafts), dict(dropped))


def _candidate(row: Mapping[str, Any], question: Message) -> FactDraft | Dropped:
    key, value, category, quote = (row.get(name, "") for name in ("key", "value", "category", "quote"))
    if not all(isinstance(part, str) for part in (key, value, category, quote)) or not quote.strip():
        return Dropped.FORM
    try:
        key, value = clean_key(key), clean_value(value)
    except BadInput:
        return Dropped.FORM
    typed = question.text
    span = span_of(quote, typed)
    if span is None:
        return Dropped.QUOTE
    told = list(own_sentences(typed, *span))
    if not _is_own(typed[slice(*span)], [sentence.said for sentence in told]):
        return Dropped.NOT_OWN
    if any(doubt_of(sentence.said) is not None or not tells_of_self(sentence.said) for sentence in told):
        return Dropped.DOUBTFUL
    words = " ".join(sentence.text for sentence in told)
    if not _values_stand(f"{key}\n{value}", words):
        return Dropped.VALUES
    if not _is_told(key, value, words):
        return Dropped.ADDED
    source = FactSource(question.id, question.conversation_id, typed[span[0] : span[1]], *span)
    origin = FactOrigin.YOU if is_run_of(value, typed) else FactOrigin.ASSISTANT
    return FactDraft(key, value, clean_category(category), origin=origin, source=source, by=FactActor.EXTRACTION)


def span_of(quote: str, text: str) -> tuple[int, int] | None:
    """Where a quote stands in a text, word for word: white space and the form of Hangul aside; None for nowhere."""
    for form in dict.fromkeys((quote, *(unicodedata.normalize(form, quote) for form in ("NFC", "NFD")))):
        found = re.search(r"\s+".join(map(re.escape, form.split())), text)
        if found is not None:
            return found.start(), found.end()
    return None


def _is_own(quote: str, said: Sequence[str]) -> bool:
    """Whether most words of a quote are left where quoted, pasted and fenced words are blanked."""
    left = {word.strip(_SIGNS) for sentence in said for word in sentence.split()}
    words = [bare for word in quote.split() if (bare := word.strip(_SIGNS))]
    return 2 * sum(1 for word in words if word in left) > len(words)


def _values_stand(value: str, told: str) -> bool:
    """Whether every exact value of a fact stands in a text, whole: no `3` in `2023`."""
    there = _plain(told)
    values = [re.escape(_plain(one.text)) for one in find_values(value)]
    return all(re.search(rf"(?<![0-9a-z]){one}(?![0-9a-z])", there) for one in values)


def _is_told(key: str, value: str, told: str) -> bool:
    """Whether the words of a value stand in the sentence, most of them at least; a short one needs a word of its key
    there as well."""
    there = set(query_words(told))
    words = query_words(value)
    standing = sum(1 for word in words if word in there)
    if not words or standing < len(words) * _STANDING_SHARE:
        return False
    return len(value.split()) >= _SHORT_VALUE or bool(there & set(query_words(key.replace("_", " "))))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _ends(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\n[…]\n{text[-(most // 2) :]}"
