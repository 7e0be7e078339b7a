"""Webhooks: create and change endpoints, and record what was sent."""
