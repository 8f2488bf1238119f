"""What was said of a fact: which passages of conversations tell it, and would bring it back once it is deleted.

A passage tells a fact when the fact comes from it or it answers that, and when the fact's value stands in it and says
enough by itself (a statement, an exact value) or together with the key. A short common value alone, such as the name
of a city, tells nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from desktop_app.core.conversation import Message
from desktop_app.core.exact_values.finding import ExactValue, ValueKind, find_values
from desktop_app.core.facts import Fact, FactSource
from desktop_app.core.search_words import query_words, search_words

_STATEMENT = 3
"""Words a value has to have to say something by itself."""
_UNSPACED_STATEMENT = 8
"""Search words that do for it in a script that sets no spaces: a city has up to seven."""
_MOSTLY = 0.5
"""Share of the words of a key that has to stand beside the value: nobody says all of it, with the same particles."""
_ALWAYS_EXACT = frozenset(
    {
        ValueKind.PATH,
        ValueKind.URL,
        ValueKind.EMAIL,
        ValueKind.ID,
        ValueKind.HOST,
        ValueKind.PHONE,
        ValueKind.CONSTANT,
        ValueKind.COMMAND,
        ValueKind.CODE,
    }
)
_OF_ONE = frozenset({ValueKind.EMAIL, ValueKind.ID, ValueKind.PHONE})
"""Kinds that name one person or thing: they tell the fact without the words around them."""
_DIGITS = {ValueKind.NUMBER: 4, ValueKind.AMOUNT: 4, ValueKind.DATE: 5}
"""Digits from which a value is exact: 3, $5 and 15:00 stand in any text."""
_YEARS = range(1900, 2101)


class FactTraces:
    """Knows what tells one fact; made from the fact and all its earlier revisions.

    `sources` are the messages they come from, `phrases` the search words without which a passage of another message
    tells nothing of it.
    """

    def __init__(self, revisions: Iterable[Fact]) -> None:
        self._spans: dict[str, list[FactSource]] = {}
        self._alone: set[str] = set()
        self._beside: dict[str, set[tuple[str, ...]]] = {}
        for fact in revisions:
            if fact.source is not None:
                self._spans.setdefault(fact.source.message_id, []).append(fact.source)
            self._add(fact)

    @property
    def sources(self) -> list[str]:
        """Ids of the messages it comes from."""
        return list(self._spans)

    @property
    def phrases(self) -> list[list[str]]:
        """Words of which one phrase stands in whatever tells it by its words."""
        return [line.split() for line in sorted({*self._alone, *self._beside})]

    def tells(self, message: Message, start: int, end: int) -> bool:
        """Whether the passage from `start` to `end` of a message's text tells it."""
        if message.parent_id in self._spans:
            return True
        if any(_overlaps(source, start, end) for source in self._spans.get(message.id, ())):
            return True
        said = _line(message.text[start:end])
        if any(phrase in said for phrase in self._alone):
            return True
        return any(_names(key, said) for phrase, keys in self._beside.items() if phrase in said for key in keys)

    def _add(self, fact: Fact) -> None:
        value = _line(fact.value)
        if not value.strip():
            return
        exact = find_values(fact.value)
        if _is_statement(fact.value, exact) or any(_line(one.text) == value and _is_exact(one) for one in exact):
            self._alone.add(value)
        self._alone |= {_line(one.text) for one in exact if one.kind in _OF_ONE}
        key = tuple(query_words(fact.key) or search_words(fact.key))
        parts = {_line(one.text) for one in exact if one.kind is not ValueKind.NAME}
        for phrase in {value, *filter(str.strip, parts)} - self._alone:
            self._beside.setdefault(phrase, set()).add(key)


def _is_statement(value: str, exact: Sequence[ExactValue]) -> bool:
    """Whether a value says something by its words, as no lone name does, however long."""
    if any(one.kind is ValueKind.NAME and _line(one.text) == _line(value) for one in exact):
        return False
    return len(value.split()) >= _STATEMENT or len(search_words(value)) >= _UNSPACED_STATEMENT


def _is_exact(value: ExactValue) -> bool:
    """Whether a value is found in few other texts than those that mean it."""
    if value.kind in _ALWAYS_EXACT:
        return True
    digits = "".join(_digits(value.text))
    if value.kind is ValueKind.NUMBER and len(digits) == 4 and int(digits) in _YEARS:
        return False
    return value.kind in _DIGITS and len(digits) >= _DIGITS[value.kind]


def _digits(text: str) -> Iterator[str]:
    return (char for char in text if char.isdecimal())


def _names(key: Sequence[str], said: str) -> bool:
    """Whether at least half of the words of a key stand in what was said."""
    standing = sum(f" {word} " in said for word in key)
    return standing > 0 and standing >= _MOSTLY * len(key)


def _overlaps(source: FactSource, start: int, end: int) -> bool:
    return source.start is None or source.end is None or (source.start < end and start < source.end)


def _line(text: str) -> str:
    """The search words of a text with a space around each, so that a phrase of whole words is found as letters."""
    return f" {' '.join(search_words(text))} "
