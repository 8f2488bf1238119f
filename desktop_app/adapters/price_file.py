"""The person's own prices as `prices.toml` in the data folder, in the form of the built-in list."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.adapters.kept_file import KeptFile, write_whole
from desktop_app.core.errors import StoreUnavailable
from desktop_app.core.money.price_rows import ANY_PROMPT, KINDS, PRICED_HOST, PriceRow, plain
from desktop_app.core.money.written_prices import PriceNotice, own_rows

FILE_NAME = "prices.toml"
RESTORED = "prices_notice.restored"
LOST = "prices_notice.lost"
ROWS = "prices_notice.rows"
_MOST_TOLD = 5
UNREADABLE = "prices_notice.unreadable"
_HEAD = """\
# Your own prices: USD per million tokens, as texts so that every digit counts. They take the place of all built-in
# prices of the same model. `from`: the first day (UTC) a price holds; `above`: it holds for requests with more input
# tokens than this; `host`: where it holds, api.anthropic.com when left out. Saving in Mnemoscope writes this file anew.
"""


class PriceFile:
    """Fulfils `core.ports.PriceStore`. Without the file there are no prices of one's own."""

    def __init__(self, data_dir: Path) -> None:
        self.path = data_dir / FILE_NAME
        self._file = KeptFile(self.path)
        self._known: list[PriceRow] = []

    def mark(self) -> object:
        """Differs when anyone wrote since; None without a file."""
        with suppress(OSError):
            found = self.path.stat()
            return found.st_ino, found.st_mtime_ns, found.st_size
        return None

    def load(self) -> tuple[list[PriceRow], list[PriceNotice]]:
        """Rows and notices. A file that is empty or cannot be read as prices at all is set aside under `.bad`; the
        last good copy takes its place. Of one with unusable rows the others hold, and a copy stays under `.bad`."""
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            self._known = []
            return [], []
        except OSError:
            return list(self._known), [PriceNotice(UNREADABLE)]
        table = _parsed(data)
        if table is None:
            return self._restored()
        self._known, unusable = own_rows(table)
        if not unusable:
            return list(self._known), []
        self._file.keep_copy(data)
        more = ["…"] if len(unusable) > _MOST_TOLD else []
        return list(self._known), [PriceNotice(ROWS, "; ".join((*unusable[:_MOST_TOLD], *more)))]

    def change(self, alter: Callable[[list[PriceRow]], list[PriceRow]]) -> list[PriceRow]:
        """Writes what `alter` makes of the rows on disk, whole or not at all. Raises StoreUnavailable."""
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._file.alone():
                rows = alter(self._stored())
                self._file.write(_text(rows).encode())
        except OSError as error:
            raise StoreUnavailable(str(error), path=str(self.path)) from error
        self._known = rows
        return list(rows)

    def _stored(self) -> list[PriceRow]:
        """What the file holds before it is replaced; one that cannot be read at all must not be."""
        rows, notices = self.load()
        if PriceNotice(UNREADABLE) in notices:
            raise OSError(self.path)
        return rows

    def _restored(self) -> tuple[list[PriceRow], list[PriceNotice]]:
        """What the good copy says, in place of a damaged file."""
        self._file.set_aside()
        table = None
        with suppress(OSError):
            data = self._file.good.read_bytes()
            if (table := _parsed(data)) is not None:
                write_whole(self.path, data)
        self._known = own_rows(table)[0] if table is not None else []
        return list(self._known), [PriceNotice(LOST if table is None else RESTORED)]


def _parsed(data: bytes) -> dict[str, Any] | None:
    """The tables of a file; None when it is no TOML, or blank: a crash leaves such a file, Mnemoscope never does."""
    try:
        text = data.decode("utf-8-sig")
        return tomllib.loads(text, parse_float=Decimal) if text.strip() else None
    except (ValueError, ArithmeticError, RecursionError):
        return None


def _text(rows: Iterable[PriceRow]) -> str:
    return "\n".join([_HEAD, *map(_entry, rows)])


def _entry(row: PriceRow) -> str:
    rates = row.rates
    lines = ["[[price]]", f"models = [{_quoted(row.model)}]"]
    if row.host != PRICED_HOST:
        lines.append(f"host = {_quoted(row.host)}")
    if rates.since != date.min:
        lines.append(f"from = {rates.since.isoformat()}")
    if rates.above != ANY_PROMPT:
        lines.append(f"above = {rates.above}")
    lines += [f"{kind} = {_quoted(plain(getattr(rates, kind)))}" for kind in KINDS]
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    """A basic string of TOML; what a model or host may hold needs no more than JSON's escapes."""
    return json.dumps(text, ensure_ascii=False)
