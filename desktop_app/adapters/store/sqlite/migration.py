"""Brings a database to the newest schema with Alembic: one transaction, a copy of the old file beside it before."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from desktop_app.adapters.store.migrations.upgrade import MIGRATIONS, upgrade
from desktop_app.adapters.store.sqlite.engine import connect, transactions
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.errors import StoreTooNew


def migrate(path: Path, known: int = SCHEMA, scripts: Path = MIGRATIONS) -> None:
    """Runs what is missing up to schema `known`; `PRAGMA user_version` changes in the same transaction.

    Another process may be first: the version is read again under the write lock.
    Raises StoreTooNew, sqlite3 and SQLAlchemy errors; after an error the database is as it was.
    """
    # Foreign keys stay off while tables are rebuilt and are checked as a whole before the commit.
    engine = create_engine("sqlite://", creator=lambda: connect(path), poolclass=NullPool)
    transactions(engine, "BEGIN IMMEDIATE")
    with engine.begin() as connection:
        found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if found > known:
            raise StoreTooNew(found=found, known=known)
        if found == known:
            return
        if found:
            _back_up(path, path.with_name(f"{path.name}.before-{known:04}"))
        upgrade(connection, scripts)
        if broken := connection.exec_driver_sql("PRAGMA foreign_key_check").all():
            raise sqlite3.DatabaseError(f"{len(broken)} broken references")
        connection.exec_driver_sql(f"PRAGMA user_version = {known}")


def _back_up(path: Path, copy: Path) -> None:
    """A whole copy, taken by a reader while the write lock is held, under its name only when complete."""
    unfinished = copy.with_name(f"{copy.name}.part")
    unfinished.unlink(missing_ok=True)
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with closing(connect(path, "ro")) as source, closing(connect(unfinished)) as target:
        source.backup(target)
    unfinished.replace(copy)
