"""The endpoints of subscriptions."""
