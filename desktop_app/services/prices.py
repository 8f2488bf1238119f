"""The price list in use: the built-in one with the person's own rows in it, also those another process just wrote."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from desktop_app.core.errors import BadInput
from desktop_app.core.money.price_rows import PRICED_HOST, PriceRow, without
from desktop_app.core.money.pricing import PriceList
from desktop_app.core.money.written_prices import PriceNotice
from desktop_app.core.ports import PriceStore

_NOT_READ = object()
"""No mark of a file: another process may have written behind a change of ours, so the next look reads it."""


class PriceService:
    """May be asked on any thread. `put` and `reset` write to disk, so call them off the GUI thread."""

    def __init__(self, built_in: PriceList, store: PriceStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._mark = store.mark()
        rows, self._notices = store.load()
        self._prices = built_in.with_own(rows)
        self._heard: list[Callable[[], None]] = []

    @property
    def prices(self) -> PriceList:
        """The list as it holds now."""
        with self._lock:
            mark = self._store.mark()
            if mark != self._mark:
                rows, notices = self._store.load()
                self._notices += notices
                self._prices = self._prices.with_own(rows)
                self._mark = mark
            return self._prices

    def rows(self) -> list[PriceRow]:
        """What holds, row by row, built-in and own."""
        return self.prices.rows()

    def take_notices(self) -> list[PriceNotice]:
        """Notices about what could not be read since this was last asked; each once."""
        with self._lock:
            notices, self._notices = list(dict.fromkeys(self._notices)), []
        return notices

    def on_change(self, heard: Callable[[], None]) -> None:
        """Calls `heard` after each `put` and `reset`, on their thread."""
        self._heard.append(heard)

    def put(self, row: PriceRow, instead_of: PriceRow | None = None) -> None:
        """A price of the person's own, in place of the one for the same model, host, day and length.

        The first one of a model takes the place of all built-in ones. One that holds only from a day on or only for
        long prompts, and one that is written `instead_of` a row, leaves the others standing as rows of one's own.
        Raises StoreUnavailable.
        """
        replaced = {row.place} | ({instead_of.place} if instead_of else set())

        def alter(rows: list[PriceRow]) -> list[PriceRow]:
            known = any((one.host, one.model) == (row.host, row.model) for one in rows)
            alone = known or (instead_of is None and not row.partial)
            beside = rows if alone else [*rows, *self._built_in(row.model, row.host)]
            return [*(one for one in beside if one.place not in replaced), row]

        self._change(alter)

    def reset(self, model: str, host: str = PRICED_HOST) -> list[PriceRow]:
        """Takes all of the person's own prices of a model back; those that were taken. Raises BadInput where there
        are none, and StoreUnavailable."""
        taken = [PriceRow(model, rates, host) for rates in self.prices.own.get((host, model), ())]
        if not taken:
            raise BadInput(what=model, why="price_not_own")
        self._change(lambda rows: without(rows, model, host))
        return taken

    def restore(self, taken: Sequence[PriceRow]) -> None:
        """Brings back what a reset took. Raises StoreUnavailable."""
        places = {row.place for row in taken}
        self._change(lambda rows: [*(row for row in rows if row.place not in places), *taken])

    def _built_in(self, model: str, host: str) -> list[PriceRow]:
        bare = self._prices.with_own(())
        return [PriceRow(model, rates, host) for rates in bare.standing(model, host)]

    def _change(self, alter: Callable[[list[PriceRow]], list[PriceRow]]) -> None:
        with self._lock:
            rows = self._store.change(alter)
            self._prices = self._prices.with_own(rows)
            self._mark = _NOT_READ
        for heard in self._heard:
            heard()
