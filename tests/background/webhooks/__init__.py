"""Sending events to webhooks."""
