"""Whether a text only says again what was told beside it, so that it is no evidence of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from desktop_app.core.exact_values.finding import find_values
from desktop_app.core.search_words import search_words

_RUN = 3
"""Words in a row that make a repetition; single words are shared by any two texts about one thing."""
_MOSTLY = 0.5
_MOST_ADDED = 2.5
"""Times as long as what it quotes whole a text may be, to count as nothing but that."""


class Told:
    """Texts that were told."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._runs: set[tuple[str, ...]] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """One more."""
        words = search_words(text)
        for size in range(1, _RUN + 1):
            self._runs.update(_runs(words, size))

    def holds(self, text: str) -> bool:
        """Whether at least half of the runs of three words of a text stand in them, of a shorter text all of it, and
        each of its exact values: what differs in a number or a name says another thing."""
        words = search_words(text)
        own = _runs(words, min(_RUN, len(words)))
        mostly = bool(own) and sum(run in self._runs for run in own) >= _MOSTLY * len(own)
        return mostly and all(self._stands(value.text) for value in find_values(text))

    def _stands(self, value: str) -> bool:
        words = search_words(value)
        return all(run in self._runs for run in _runs(words, min(_RUN, len(words))))


def quotes(text: str, said: str) -> bool:
    """Whether a text holds all of something said, and adds little to it."""
    return len(text) < _MOST_ADDED * len(said) and stands_in(said, text)


def stands_in(said: str, text: str) -> bool:
    """Whether the words of something said stand in a text, one behind the other."""
    words = search_words(said)
    return bool(words) and tuple(words) in set(_runs(search_words(text), len(words)))


def _runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)] if size else []
