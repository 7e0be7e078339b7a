"""SQLite behind the interface of the engine."""
