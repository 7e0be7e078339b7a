"""Corrections of subscribers, notes on them, and merges of two subscribers."""
