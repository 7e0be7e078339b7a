"""Webhooks: where events are sent to, their signatures and retries."""
