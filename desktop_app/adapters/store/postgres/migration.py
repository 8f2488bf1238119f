"""Brings a PostgreSQL database to the newest schema with Alembic, in one transaction of whoever may write."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine

from desktop_app.adapters.store.migrations.upgrade import MIGRATIONS, upgrade
from desktop_app.adapters.store.postgres.engine import schema_of
from desktop_app.adapters.store.tables import SCHEMA
from desktop_app.core.errors import StoreTooNew


def migrate(writer: Engine, known: int = SCHEMA, scripts: Path = MIGRATIONS) -> None:
    """Runs what is missing up to schema `known`; another workstation may be first. Raises StoreTooNew.

    After an error the database is as it was. No copy is made before: that is for whoever keeps the server.
    """
    with writer.begin() as connection:
        found = schema_of(connection)
        if found > known:
            raise StoreTooNew(found=found, known=known)
        if found < known:
            upgrade(connection, scripts)
