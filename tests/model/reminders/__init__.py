"""Reminders: when they are due."""
