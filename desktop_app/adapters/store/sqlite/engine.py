"""Opens the database file: checks its version, migrates it, makes connections with their PRAGMAs set and verified."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, InternalError, OperationalError
from sqlalchemy.pool import QueuePool

from desktop_app.adapters.store.database import READERS
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.errors import StoreDamaged, StoreTooNew, StoreUnavailable

FILE_NAME = "mnemoscope.db"
BUSY_MILLISECONDS = 5000
NO_WAL = "store_notice.no_wal"
"""Notice: the file system has no write-ahead log; other processes wait longer."""


@dataclass(frozen=True, slots=True)
class Engines:
    """Fulfils `database.Database` for a file."""

    path: Path
    writer: Engine
    reader: Engine
    notices: tuple[str, ...]

    @property
    def name(self) -> str:
        """The file."""
        return str(self.path)

    @property
    def shared(self) -> bool:
        """A file is one workstation's."""
        return False

    def refusals(self) -> AbstractContextManager[None]:
        """Turns what the disk or a lock refuses into StoreUnavailable."""
        return unavailable(self.path)

    def data_version(self) -> int:
        """Asked on the connection that writes, because SQLite does not count a connection's own commits."""
        with self.writer.connect() as connection:
            found: int = connection.connection.cursor().execute("PRAGMA data_version").fetchone()[0]
            return found

    def begin_teaching(self) -> bool:
        """Always: a file is locked by whoever holds the index beside it."""
        return True

    def end_teaching(self) -> None:
        """Nothing is held."""

    def dispose(self) -> None:
        """Closes every connection."""
        self.reader.dispose()
        self.writer.dispose()


def open_engines(data_dir: Path) -> Engines:
    """The engines for the database in `data_dir`, made and migrated as needed.

    Raises StoreUnavailable (the file stays as it is) and StoreTooNew.
    """
    path = data_dir / FILE_NAME
    with unavailable(path):
        _create(path)
        found = _user_version(path)
        if found > SCHEMA:
            raise StoreTooNew(found=found, known=SCHEMA)
        journal = _set_journal(path)
        if found < SCHEMA:
            # Alembic takes longer to import than everything else here; most starts do without it.
            from desktop_app.adapters.store.sqlite.migration import migrate

            migrate(path)
        engines = Engines(
            path,
            _engine(path, journal, writes=True),
            _engine(path, journal, writes=False),
            () if journal == "wal" else (NO_WAL,),
        )
        try:
            with engines.reader.connect() as connection:
                connection.exec_driver_sql("SELECT id FROM install").one()
        except BaseException:
            engines.dispose()
            raise
    return engines


@contextmanager
def unavailable(path: Path) -> Iterator[None]:
    """Turns what the disk or a lock refuses into StoreUnavailable; mistakes of ours pass through."""
    try:
        yield
    except (OSError, OperationalError, InternalError, sqlite3.OperationalError) as error:
        raise _refusal(path, error) from error
    except (DatabaseError, sqlite3.DatabaseError) as error:
        # A damaged file is the bare kind; its subclasses (integrity, programming) are our mistakes.
        if type(error) not in (DatabaseError, sqlite3.DatabaseError):
            raise
        raise StoreDamaged(str(getattr(error, "orig", None) or error), path=str(path)) from error


def connect(path: Path, mode: str = "rw") -> sqlite3.Connection:
    """A plain connection without transactions of its own; a lock is waited for."""
    return sqlite3.connect(address(path, mode), uri=True, timeout=BUSY_MILLISECONDS / 1000, isolation_level=None)


def address(path: Path, mode: str) -> str:
    """The URI of the file; never creates it."""
    return f"{path.absolute().as_uri()}?mode={mode}"


def transactions(engine: Engine, opening: str) -> None:
    """Makes SQLAlchemy's transactions real: Python's own are off (isolation level None), each begins with `opening`."""

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql(opening)


def _refusal(path: Path, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(str(getattr(error, "orig", None) or error), path=str(path))


def _create(path: Path) -> None:
    """The folder and an empty file that nobody else can read."""
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.name == "posix":
            os.fchmod(descriptor, 0o600)
    finally:
        os.close(descriptor)


def _user_version(path: Path) -> int:
    """Read before anything is written. Not in mode `ro`, which would leave an empty log behind."""
    with closing(connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _set_journal(path: Path) -> str:
    """Write-ahead log where the file system can, else a rollback journal; the mode that holds."""
    with closing(connect(path)) as connection:
        mode = str(connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]).lower()
        if mode != "wal":
            mode = str(connection.execute("PRAGMA journal_mode = DELETE").fetchone()[0]).lower()
        return mode


def _engine(path: Path, journal: str, *, writes: bool) -> Engine:
    engine = create_engine(
        "sqlite://",
        creator=lambda: _prepared(path, journal),
        poolclass=QueuePool,
        pool_size=1 if writes else READERS,
        max_overflow=0,
        hide_parameters=True,  # an error must never carry what people wrote into a log
    )
    transactions(engine, "BEGIN IMMEDIATE" if writes else "BEGIN")
    return engine


def _prepared(path: Path, journal: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address(path, "rw"),
        uri=True,
        timeout=BUSY_MILLISECONDS / 1000,
        isolation_level=None,
        check_same_thread=False,  # the pool hands a connection to one thread at a time
    )
    # synchronous FULL (2): a message is on the disk before its request leaves.
    wanted: dict[str, Any] = {
        "busy_timeout": BUSY_MILLISECONDS,
        "foreign_keys": 1,
        "secure_delete": 1,
        "synchronous": 2,
    }
    try:
        for name, value in wanted.items():
            connection.execute(f"PRAGMA {name} = {value}")
        for name, value in {**wanted, "journal_mode": journal}.items():
            (found,) = connection.execute(f"PRAGMA {name}").fetchone()
            if found != value:
                raise sqlite3.OperationalError(f"PRAGMA {name} is {found}, not {value}")
    except BaseException:
        connection.close()
        raise
    return connection
