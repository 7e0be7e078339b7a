"""The events of changes."""
