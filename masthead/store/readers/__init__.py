"""Readers: corrections, notes, merges and likely duplicates."""
