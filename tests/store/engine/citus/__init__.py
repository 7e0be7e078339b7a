"""Citus, as far as it can be tested without it."""
