"""The PostgreSQL implementation of the database interface."""
