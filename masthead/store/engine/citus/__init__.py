"""Citus: which tables are distributed, and how they become so."""
