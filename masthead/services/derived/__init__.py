"""Derived data, updated in the transaction of each change."""
