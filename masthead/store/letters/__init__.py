"""Renewal letters: their texts by stage, the letters, and the subscribers who get none."""
