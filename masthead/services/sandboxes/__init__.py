"""Sandboxes: create them, move their clocks, reset and delete them. decision 0085."""
