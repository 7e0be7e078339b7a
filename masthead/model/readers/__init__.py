"""Corrections of readers, notes on them, and merges of two readers."""
