"""The pages of invoices and payments."""
