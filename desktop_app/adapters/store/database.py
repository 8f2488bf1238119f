"""The doors of a database, whichever it is: the connections that write and read, and what its refusals mean."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Engine

READERS = 3
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

    @property
    def shared(self) -> bool:
        """Whether other workstations may have it open, too."""

    def refusals(self) -> AbstractContextManager[None]:
        """Turns what the disk, a lock or a server refuses into StoreUnavailable; mistakes of ours pass through."""

    def data_version(self) -> int:
        """A number that changes when another store wrote; asked in the thread that writes."""

    def begin_teaching(self) -> bool:
        """Whether this store alone may change an index that others share, until `end_teaching`.

        Both are asked in the thread that writes.
        """

    def end_teaching(self) -> None:
        """Lets others change it."""

    def dispose(self) -> None:
        """Closes every connection."""
