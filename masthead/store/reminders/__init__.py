"""Reminders of overdue invoices, their stages, and what was agreed."""
