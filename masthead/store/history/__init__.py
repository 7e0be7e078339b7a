"""The audit entries of a subscriber, a subscription or an issue."""
