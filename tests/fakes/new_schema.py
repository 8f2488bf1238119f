"""Makes the tables of a new database of SQLite from what the real migrations made once: most tests need a new one."""

from __future__ import annotations

import secrets
from contextlib import closing
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import NullPool

from desktop_app.adapters.store.migrations.upgrade import MIGRATIONS, upgrade
from desktop_app.adapters.store.sqlite.engine import connect

_OBJECTS = """
SELECT made.sql FROM sqlite_master AS made WHERE made.sql IS NOT NULL AND made.name != 'sqlite_sequence'
AND NOT EXISTS (
    SELECT 1 FROM sqlite_master AS words
    WHERE words.sql LIKE 'CREATE VIRTUAL TABLE%' AND made.name GLOB words.name || '_*'
) ORDER BY made.rowid
"""
"""All but the tables that one of FTS5 makes for itself."""
_ROWS = tuple(f'INSERT INTO "{table}"' for table in ("alembic_version", "install"))


def quick_upgrade(connection: Connection, scripts: Path = MIGRATIONS) -> None:
    """Stands in for `upgrade`, and leaves to it what is not a new database of SQLite, brought to the newest schema."""
    if scripts != MIGRATIONS or connection.dialect.name != "sqlite" or _version(connection):
        upgrade(connection, scripts)
        return
    for statement in _statements():
        connection.exec_driver_sql(statement)
    connection.exec_driver_sql("UPDATE install SET block_key = ?", (secrets.token_bytes(32),))


def _version(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


@cache
def _statements() -> tuple[str, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder, "template.db")
        path.touch()
        engine = create_engine("sqlite://", creator=lambda: connect(path), poolclass=NullPool)
        with engine.begin() as connection:
            upgrade(connection, MIGRATIONS)
        with closing(connect(path)) as made:
            objects = [sql for (sql,) in made.execute(_OBJECTS)]
            rows = [line for line in made.iterdump() if line.startswith(_ROWS)]
            assert len(rows) == len(_ROWS)
            return (*objects, *rows)
