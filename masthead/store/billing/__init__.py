"""The SQL of billing: settings, payers, billed orders, invoices and payments."""
