"""PostgreSQL behind the interface of the engine."""
