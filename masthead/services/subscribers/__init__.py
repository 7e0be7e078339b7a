"""Correct subscribers, write notes on them, and merge two subscribers."""
