"""Where the database is worked on: one thread writes, two read, each piece of work in a transaction of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TypeVar

from sqlalchemy.orm import Session

from desktop_app.adapters.store.database import READERS, Database

_Result = TypeVar("_Result")
_Work = Callable[[Session], _Result]


class StoreThreads:
    """Shared by everything that reads and writes one database. Raises StoreUnavailable when the disk refuses."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.shared = database.shared
        self._writer = ThreadPoolExecutor(1, "store-writer")
        self._readers = ThreadPoolExecutor(READERS, "store-reader")

    async def read(self, work: _Work[_Result]) -> _Result:
        """The result of reading; sees one state of the database throughout."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, self._reading, work)

    def read_at_start(self, work: _Work[_Result]) -> _Result:
        """The same, at once and in this thread: for whoever opens a store."""
        return self._reading(work)

    async def write(self, work: _Work[_Result]) -> _Result:
        """The result of one transaction that is on the disk when this returns.

        A caller that is cancelled (Stop) does not take a write along that was already asked for.
        """
        job = asyncio.get_running_loop().run_in_executor(self._writer, self._writing, work)
        return await asyncio.shield(job)

    async def data_version(self) -> int:
        """A number that changes when another store wrote."""
        return await asyncio.get_running_loop().run_in_executor(
            self._writer, self._refused, self._database.data_version
        )

    @asynccontextmanager
    async def teaching(self) -> AsyncIterator[bool]:
        """Whether this store alone may change an index that others share, for as long as this lasts."""
        loop = asyncio.get_running_loop()
        alone = await loop.run_in_executor(self._writer, self._refused, self._database.begin_teaching)
        try:
            yield alone
        finally:
            if alone:
                await asyncio.shield(loop.run_in_executor(self._writer, self._refused, self._database.end_teaching))

    async def close(self) -> None:
        """Ends the threads after what was begun is done."""
        loop = asyncio.get_running_loop()
        for executor in (self._readers, self._writer):
            await loop.run_in_executor(executor, lambda: None)
            executor.shutdown()
        self._database.dispose()

    def _reading(self, work: _Work[_Result]) -> _Result:
        with self._database.refusals(), Session(self._database.reader) as session:
            return work(session)

    def _writing(self, work: _Work[_Result]) -> _Result:
        with self._database.refusals(), Session(self._database.writer) as session, session.begin():
            return work(session)

    def _refused(self, ask: Callable[[], _Result]) -> _Result:
        with self._database.refusals():
            return ask()
