"""Subscribers: their records, corrections, notes, merges and likely duplicates."""
