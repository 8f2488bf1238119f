"""Opens a PostgreSQL database: checks its version, migrates it, makes connections that lock and count as ours do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, InternalError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import QueuePool

from desktop_app.adapters.store.database import READERS
from desktop_app.adapters.store.postgres.address import address_of, shown
from desktop_app.adapters.store.postgres.presence import SPACE, mark_of
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.errors import (
    DatabaseDriverMissing,
    DatabaseRefused,
    DatabaseUnreachable,
    StoreTooNew,
    StoreUnavailable,
)

CONNECT_SECONDS = 10
BUSY_MILLISECONDS = 5000
WRITING = 0x4D4E454D57
"""The lock of whoever writes: one transaction at a time, over all workstations, so that what is read in one and
written from it (numbers, keys that are taken) is not changed by another between."""
TEACHING = WRITING + 1
"""The lock of whoever changes an index of vectors that several workstations share."""

# A crash of a machine is noticed within a minute, so that its turns are not taken for running.
_ALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
_SETTINGS = (
    "SET tcp_keepalives_idle = 30",
    "SET tcp_keepalives_interval = 10",
    "SET tcp_keepalives_count = 3",
)
_LOCK = f"SELECT pg_advisory_xact_lock({WRITING})"
# A transaction that wrote nothing has no id and counts for nothing.
_COUNT = "UPDATE written SET number = number + 1 WHERE txid_current_if_assigned() IS NOT NULL"
_DENIED = ("28", "42501", "3D000")
"""Classes of what the server says of a wrong password, a missing right, a database that is not there."""
_BROKEN = ("08", "53", "57", "58", "55P03", "25006")
"""Of lost connections, full disks, a server that stops, faults of its system, locks that stay, standby servers."""


class PostgresDatabase:
    """Fulfils `database.Database` for an address; `owner` is the name this store is known by while it is open."""

    notices: tuple[str, ...] = ()
    shared = True

    def __init__(self, url: URL, owner: str) -> None:
        self.name = shown(url)
        self._own_writes = 0
        self.writer = _engine(url, 1, {"isolation_level": "READ COMMITTED"})
        self.reader = _engine(url, READERS, {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True})
        event.listen(self.writer, "connect", _be_there(owner))
        event.listen(self.writer, "begin", _lock_others_out)
        event.listen(self.writer, "commit", self._count)

    def refusals(self) -> AbstractContextManager[None]:
        """Turns what the server or the way to it refuses into StoreUnavailable."""
        return unavailable(self.name)

    def data_version(self) -> int:
        """The writes that were ever counted, less this store's own."""
        return int(self._say("SELECT number FROM written")) - self._own_writes

    def begin_teaching(self) -> bool:
        """Whether no other workstation teaches the index they share."""
        return bool(self._say(f"SELECT pg_try_advisory_lock({TEACHING})"))

    def end_teaching(self) -> None:
        """Lets others teach it; a connection that is lost does so by itself."""
        self._say(f"SELECT pg_advisory_unlock({TEACHING})")

    def dispose(self) -> None:
        """Closes every connection."""
        self.reader.dispose()
        self.writer.dispose()

    def _say(self, statement: str) -> Any:
        """One value, asked past the begin of a transaction, which would wait for those who write."""
        with self.writer.connect() as connection:
            return connection.connection.cursor().execute(statement).fetchone()[0]

    def _count(self, connection: Connection) -> None:
        cursor = connection.connection.cursor().execute(_COUNT)
        self._own_writes += cursor.rowcount


def open_database(given: str, owner: str) -> PostgresDatabase:
    """The database at an address, migrated as needed.

    Raises BadInput for the address, StoreUnavailable (the database stays as it is) and StoreTooNew.
    """
    url = address_of(given)
    with unavailable(shown(url)):
        database = PostgresDatabase(url, owner)
        try:
            database.writer.connect().close()
            with database.reader.connect() as connection:
                _check_encoding(connection, database.name)
                found = schema_of(connection)
            if found > SCHEMA:
                raise StoreTooNew(found=found, known=SCHEMA)
            if found < SCHEMA:
                # Alembic takes longer to import than everything else here; most starts do without it.
                from desktop_app.adapters.store.postgres.migration import migrate

                migrate(database.writer)
        except BaseException:
            database.dispose()
            raise
    return database


def schema_of(connection: Connection) -> int:
    """The number of the newest migration that ran; 0 where there are no tables of ours."""
    if connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar() is None:
        return 0
    return int(connection.exec_driver_sql("SELECT max(version_num) FROM alembic_version").scalar() or 0)


@contextmanager
def unavailable(name: str) -> Iterator[None]:
    """Turns what the server or the way to it refuses into StoreUnavailable; mistakes of ours pass through."""
    try:
        yield
    except ImportError as error:  # the driver is an extra
        raise DatabaseDriverMissing(str(error), path=name) from error
    except PoolTimeout as error:
        raise StoreUnavailable(str(error), path=name) from error
    except DBAPIError as error:
        if (refusal := _refusal(name, error)) is None:
            raise
        raise refusal from error


def _refusal(name: str, error: DBAPIError) -> StoreUnavailable | None:
    """What an error of the driver means for the person; None for a mistake of ours."""
    state = getattr(error.orig, "sqlstate", None) or ""
    details = str(error.orig)
    if state.startswith(_DENIED) or (not state and _says_denied(details)):
        return DatabaseRefused(details, path=name)
    if state.startswith(_BROKEN) or error.connection_invalidated or (not state and isinstance(error, OperationalError)):
        return DatabaseUnreachable(details, path=name)
    return StoreUnavailable(details, path=name) if isinstance(error, (OperationalError, InternalError)) else None


def _says_denied(details: str) -> bool:
    """While connecting the driver tells no class of error, only the server's words, which may be of any language."""
    return "FATAL" in details and "server closed the connection" not in details


def _engine(url: URL, size: int, options: dict[str, Any]) -> Engine:
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_pre_ping=True,  # a server that was started again since is connected to anew
        execution_options=options,
        connect_args={"connect_timeout": CONNECT_SECONDS, "client_encoding": "utf8", **_ALIVE},
        hide_parameters=True,  # an error must never carry what people wrote into a log
    )
    event.listen(engine, "connect", _prepare)
    return engine


def _prepare(connection: Any, _: object) -> None:
    """What every connection is set to."""
    from desktop_app.adapters.store.postgres.texts import take_every_letter

    take_every_letter(connection.adapters)
    with _outside_transactions(connection):
        for setting in (f"SET lock_timeout = {BUSY_MILLISECONDS}", *_SETTINGS):
            connection.execute(setting)


def _be_there(owner: str) -> Any:
    def hold(connection: Any, _: object) -> None:
        mark = mark_of(owner)
        with _outside_transactions(connection):
            connection.execute(
                "SELECT pg_advisory_lock_shared(%s, %s)", (SPACE, mark - 2**32 if mark >= 2**31 else mark)
            )

    return hold


def _lock_others_out(connection: Connection) -> None:
    connection.exec_driver_sql(_LOCK)


@contextmanager
def _outside_transactions(connection: Any) -> Iterator[None]:
    connection.autocommit = True
    try:
        yield
    finally:
        connection.autocommit = False


def _check_encoding(connection: Connection, name: str) -> None:
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise DatabaseRefused(f"server_encoding {encoding}, not UTF8", path=name)
