"""Emails and the outbox, through the services."""
