"""Runs migrations on the connection `migration.migrate` hands over, inside its transaction."""

from __future__ import annotations

from alembic import context

from desktop_app.adapters.store.fact_tables import is_described
from desktop_app.adapters.store.passage_tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    include_name=is_described,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
