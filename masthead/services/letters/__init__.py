"""Renewal letters: their texts, writing them, printing them, and readers who want none."""
