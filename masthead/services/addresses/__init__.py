"""Change the addresses of a reader: now, from an issue on, or for some issues."""
