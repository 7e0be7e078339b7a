"""Tests of reminders of overdue invoices."""
