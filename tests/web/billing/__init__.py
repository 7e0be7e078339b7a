"""Tests of the pages of invoices and payments."""
