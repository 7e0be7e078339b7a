"""Alembic environment: uses a given connection, or offline mode to render SQL for SQLite."""

from alembic import context

if context.is_offline_mode():
    context.configure(dialect_name="sqlite")
else:
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
