"""The history of a subscriber, a subscription or an issue."""
