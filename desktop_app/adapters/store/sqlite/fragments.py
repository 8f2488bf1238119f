"""Pieces of SQL as SQLite takes them; see `sql`. Tables of words are those of FTS5."""

from __future__ import annotations

from collections.abc import Callable, Mapping

# Where FTS5 keeps what it was given; read past it, which is ten times as quick.
_COLUMNS = {
    "fact_words": "c0 AS words",
    "message_words": "c0 AS turn, c1 AS place, c2 AS words",
    "document_words": "c0 AS words",
}


def _each(name: str) -> str:
    return f"json_each(:{name}) AS asked"


def _found(table: str) -> str:
    return f"(SELECT rowid AS number, -bm25({table}) AS score FROM {table} WHERE {table} MATCH :asked) AS found"


def _holding(table: str) -> str:
    return f"(SELECT rowid AS number FROM {table} WHERE {table} MATCH :asked) AS found"


def _starting(table: str) -> str:
    return f"(SELECT rowid AS number FROM {table} WHERE {table} MATCH '\"' || :letters || '\"*') AS found"


def _each_found(table: str) -> str:
    columns = f"asked.key AS word, {table}.rowid AS number, -bm25({table}) AS score"
    return f"(SELECT {columns} FROM {_each('asked')} CROSS JOIN {table} ON {table} MATCH asked.value) AS found"


def _each_holding(table: str) -> str:
    columns = f"asked.key AS word, {table}.rowid AS number"
    return f"(SELECT {columns} FROM {_each('asked')} CROSS JOIN {table} ON {table} MATCH asked.value) AS found"


def _kept(table: str) -> str:
    return f"(SELECT id AS number, {_COLUMNS[table]} FROM {table}_content) AS kept"


FRAGMENTS: Mapping[str, Callable[[str], str]] = {
    "each": _each,
    "then": lambda _: "CROSS JOIN",
    "instr": lambda _: "instr",
    # Syllables, and the letters they are made of.
    "hangul": lambda text: f"({text}) GLOB '*[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]*'",
    "found": _found,
    "holding": _holding,
    "starting": _starting,
    "each_found": _each_found,
    "each_holding": _each_holding,
    "kept": _kept,
}
