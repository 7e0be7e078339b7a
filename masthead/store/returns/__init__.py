"""The SQL of what carriers report: shipped copies and delivery reports."""
