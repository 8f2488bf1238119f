"""Alembic migrations of the database; append a file to `versions`, never change one that was released."""
