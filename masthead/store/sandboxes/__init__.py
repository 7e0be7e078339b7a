"""Rows of sandboxes: their clocks, what they charge, and what a reset deletes."""
