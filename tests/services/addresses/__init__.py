"""Changes of addresses: now, from an issue on, and for some issues."""
