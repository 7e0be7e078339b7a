"""Renewal letters: their texts by stage, the letters, and the readers who get none."""
