"""`masthead dispatch`: send out an issue in dispatch runs."""
