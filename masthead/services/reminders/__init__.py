"""Reminders: settings, which ones are due, rounds that are sent, and what was agreed."""
