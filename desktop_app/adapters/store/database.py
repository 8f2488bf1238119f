"""The doors of a database, whichever it is: the connections that write and read, and what its refusals mean."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Engine

READERS = 2
"""Connections that read at once."""


class Database(Protocol):
    """One connection that writes, two that read; each transaction of either sees one state throughout."""

    @property
    def name(self) -> str:
        """The file or the address, as errors tell it; without a password."""

    @property
    def writer(self) -> Engine:
        """Its transactions exclude those of all other writers from their begin on."""

    @property
    def reader(self) -> Engine:
        """Its transactions wait for nobody."""

    @property
    def notices(self) -> tuple[str, ...]:
        """Catalogue ids about how the data is kept."""

    def refusals(self) -> AbstractContextManager[None]:
        """Turns what the disk, a lock or a server refuses into StoreUnavailable; mistakes of ours pass through."""

    def data_version(self) -> int:
        """A number that changes when another store wrote; asked in the thread that writes."""

    def dispose(self) -> None:
        """Closes every connection."""
