"""Freeze, mark, undo and discard dispatch runs; their files, previews and export profiles."""
