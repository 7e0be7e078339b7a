"""The SQLite implementation of the database interface."""
