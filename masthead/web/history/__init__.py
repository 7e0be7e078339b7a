"""Pages about what happened to a reader, a subscription or an issue."""
