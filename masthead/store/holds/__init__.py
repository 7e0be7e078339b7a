"""Holds: the subscriptions whose copies wait."""
