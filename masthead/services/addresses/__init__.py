"""Change the addresses of a subscriber: now, from an issue on, or for some issues."""
