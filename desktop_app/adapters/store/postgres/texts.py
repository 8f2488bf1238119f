"""Texts as PostgreSQL keeps them: U+0000, for which it has no place, stands there as U+FDD0, which no text has."""

from __future__ import annotations

from typing import Any

from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap
from psycopg.types.string import StrDumper, TextLoader

STANDS_FOR_NUL = "\ufdd0"
_TYPES = ("text", "varchar")


class _Dumper(StrDumper):
    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", STANDS_FOR_NUL))


class _Loader(TextLoader):
    def load(self, data: Buffer) -> str:
        text = super().load(data)
        assert isinstance(text, str)
        return text.replace(STANDS_FOR_NUL, "\0")


def take_every_letter(adapters: AdaptersMap) -> None:
    """Lets a connection write and read texts with any letter."""
    adapters.register_dumper(str, _Dumper)
    for name in _TYPES:
        adapters.register_loader(name, _Loader)
