"""Emails: written into the outbox with the change, then sent from it."""
