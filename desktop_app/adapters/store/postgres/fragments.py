"""Pieces of SQL as PostgreSQL takes them; see `sql`.

A table of words keeps them as they were given and, in `stems`, as FTS5 would cut and stem them: each between two
spaces of its own, so that a word and a phrase are found and counted in the same way. BM25 is that of FTS5 (k1 1.2, b
0.75, weight of a word at least 1e-6), worked out from these rows. A `tsvector` would not do: it keeps no more than 256
places of a word, none behind the 16,383rd, and tells neither how often a word stands nor how long a text is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

LEXEMES = "string_to_array(btrim({stems}), '  ')"
"""The stems of a text as a list, as they are indexed."""


def _each(name: str) -> str:
    # JSON may write U+0000, which is kept as another letter (see `texts`).
    return _items(f"CAST(replace(:{name}, '\\u0000', '\ufdd0') AS json)")


def _items(array: str) -> str:
    """Rows `asked` of a JSON list."""
    items = f"json_array_elements_text({array}) WITH ORDINALITY AS one (value, number)"
    return f"(SELECT one.number - 1 AS key, one.value FROM {items}) AS asked"


def _held(table: str, asked: str) -> str:
    """Each asked phrase with each row that holds it, and how often."""
    words, phrase = LEXEMES.format(stems="kept.stems"), LEXEMES.format(stems="asked.value")
    return f"""
        SELECT asked.key AS word, kept.number, kept.length,
            (length(kept.stems) - length(replace(kept.stems, asked.value, ''))) / length(asked.value) AS often,
            count(*) OVER (PARTITION BY asked.key) AS holding
        FROM {asked} JOIN {table} AS kept ON {words} @> {phrase} AND strpos(kept.stems, asked.value) > 0
        WHERE asked.value <> ''
    """


def _scored(table: str, asked: str) -> str:
    """The same with the score each phrase gives the row."""
    every = f"SELECT CAST(count(*) AS float8) AS total, CAST(avg(length) AS float8) AS average FROM {table}"
    return f"""
        SELECT held.word, held.number,
            greatest(1e-6, ln((every.total - held.holding + 0.5) / (held.holding + 0.5))) * held.often * 2.2
            / (held.often + 1.2 * (0.25 + 0.75 * held.length / every.average)) AS score
        FROM ({_held(table, asked)}) AS held CROSS JOIN ({every}) AS every
    """


_OF = _items("CAST(:asked AS json) -> 'of'")
_LEAST = "HAVING count(*) >= CAST(CAST(:asked AS json) ->> 'least' AS integer)"


def _found(table: str) -> str:
    return (
        f"(SELECT number, sum(score) AS score FROM ({_scored(table, _OF)}) AS each GROUP BY number {_LEAST}) AS found"
    )


def _holding(table: str) -> str:
    return f"(SELECT number FROM ({_held(table, _OF)}) AS each GROUP BY number {_LEAST}) AS found"


def _starting(table: str) -> str:
    return f"(SELECT number FROM {table} WHERE strpos(' ' || words, ' ' || CAST(:letters AS TEXT)) > 0) AS found"


FRAGMENTS: Mapping[str, Callable[[str], str]] = {
    "each": _each,
    "then": lambda _: "JOIN",
    "instr": lambda _: "strpos",
    # Syllables, and the letters they are made of.
    "hangul": lambda text: f"({text}) ~ '[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]'",
    "found": _found,
    "holding": _holding,
    "starting": _starting,
    "each_found": lambda table: f"({_scored(table, _each('asked'))}) AS found",
    "each_holding": lambda table: f"({_held(table, _each('asked'))}) AS found",
    "kept": lambda table: f"{table} AS kept",
}
