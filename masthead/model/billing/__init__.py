"""Billing: invoices, VAT, payments, and what payers owe."""
