"""Invoices and payments of the API."""
