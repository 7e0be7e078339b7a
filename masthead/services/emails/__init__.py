"""Emails: stored in the outbox with the change that causes them, and sent from there."""
