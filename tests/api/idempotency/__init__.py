"""Requests with an `Idempotency-Key`."""
