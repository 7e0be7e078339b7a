"""The types of fields, and texts."""
