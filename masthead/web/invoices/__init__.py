"""Pages that give out invoices: as files, by email, and many at once."""
