"""Runs migrations with Alembic on an open connection, in its transaction."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

MIGRATIONS = Path(__file__).parent


def upgrade(connection: Connection, scripts: Path = MIGRATIONS) -> None:
    """Runs those of a folder that have not run."""
    config = Config()
    config.set_main_option("script_location", str(scripts).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
