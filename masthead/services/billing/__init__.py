"""Billing: issue invoices and credit notes, and record payments."""
