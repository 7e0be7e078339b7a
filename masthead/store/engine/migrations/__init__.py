"""Alembic migrations, which `store.engine.migrate` runs."""
