"""Exports: their files, and the way back."""
