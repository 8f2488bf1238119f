"""Whether a text only says again what was told beside it, so that it is no evidence of its own."""

from __future__ import annotations

from desktop_app.core.search_words import search_words

_RUN = 3
"""Words in a row that make a repetition; single words are shared by any two texts about one thing."""
_MOSTLY = 0.5


def repeats(text: str, told: str) -> bool:
    """Whether at least half of the runs of three words of a text stand in what was told; shorter texts as a whole."""
    own, given = search_words(text), search_words(told)
    size = min(_RUN, len(own))
    if not size:
        return False
    runs = [tuple(own[at : at + size]) for at in range(len(own) - size + 1)]
    known = {tuple(given[at : at + size]) for at in range(len(given) - size + 1)}
    return sum(run in known for run in runs) >= _MOSTLY * len(runs)
