"""The database engine: SQLite, PostgreSQL, migrations."""
