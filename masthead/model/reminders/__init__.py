"""Reminders of overdue invoices: their stages, when they are due, and their texts."""
