"""Correct readers, write notes on them, and merge two readers."""
