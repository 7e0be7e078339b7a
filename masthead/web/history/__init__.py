"""Pages about what happened to a subscriber, a subscription or an issue."""
