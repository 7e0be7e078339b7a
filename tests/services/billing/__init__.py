"""Tests of invoices, credit notes and payments."""
