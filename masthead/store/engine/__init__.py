"""The database engine: one interface, SQLite and PostgreSQL behind it, and migrations."""
