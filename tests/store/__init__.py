"""The store: SQL on both databases."""
