"""Renewal letters: their texts, writing them, printing them, and subscribers who want none."""
