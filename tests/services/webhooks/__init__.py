"""Webhooks: endpoints and outcomes."""
