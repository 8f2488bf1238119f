"""Runs migrations on the connection `migration.migrate` hands over, inside its transaction."""

from __future__ import annotations

from alembic import context
from sqlmodel import SQLModel

from desktop_app.adapters.store import tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()

__all__ = ["tables"]
