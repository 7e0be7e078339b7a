"""Full-text search by trigrams, on SQLite and PostgreSQL."""
