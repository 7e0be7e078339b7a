"""Freeze, mark, undo and discard dispatch runs; their files, claims and delivery reports."""
