"""SQL that both databases take: what they write differently stands in braces and is filled in for each.

`{each:name}` are the items of the parameter `name`, a JSON list, as rows `asked` of key (from 0) and value; `{then}`
joins the next table, in this order where a database would choose a worse one; `{instr}(text, letters)` is the place of
letters in a text, from 1, or 0; `{hangul:text}` whether it holds Hangul.

Full text of a table of words: `{found:table}` are the rows that answer the parameter `asked` (see `backend`) as rows
`found` of number and score, `{holding:table}` their numbers alone; `{each_found:table}` and `{each_holding:table}` the
same for each phrase of `asked` by itself, with its place as word. `{starting:table}` are the numbers of rows that hold
a word beginning with the parameter `letters`, letters and digits only; `{kept:table}` what is kept there, as rows
`kept` of number, words and further columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import TextClause
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from desktop_app.adapters.store.postgres.fragments import FRAGMENTS as POSTGRES
from desktop_app.adapters.store.sqlite.fragments import FRAGMENTS as SQLITE


class _Sql(TextClause):
    """Text for SQLite that is written as another one for PostgreSQL, with the same parameters."""

    inherit_cache = True
    postgres: TextClause


class instr(GenericFunction[int]):  # the name it has in SQL
    """The place of letters in a text, from 1; 0 where they do not stand in it."""

    inherit_cache = True


class _Fragment:
    """A piece of SQL by its argument, for `str.format`."""

    def __init__(self, write: Callable[[str], str]) -> None:
        self._write = write

    def __format__(self, argument: str) -> str:
        return self._write(argument)


def sql(template: str) -> TextClause:
    """A statement out of a template with fragments in braces."""
    statement = _Sql(_written(template, SQLITE))
    statement.postgres = TextClause(_written(template, POSTGRES))
    return statement


def _written(template: str, fragments: Mapping[str, Callable[[str], str]]) -> str:
    return template.format(**{name: _Fragment(write) for name, write in fragments.items()})


@compiles(_Sql, "postgresql")
def _for_postgres(statement: _Sql, compiler: SQLCompiler, **options: Any) -> str:
    return str(compiler.process(statement.postgres, **options))


@compiles(instr, "postgresql")
def _strpos(call: instr, compiler: SQLCompiler, **options: Any) -> str:
    return f"strpos({compiler.process(call.clauses, **options)})"
