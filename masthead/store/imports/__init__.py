"""Imports: batches with their rows and uploaded files, and saved mappings."""
