"""The SQL of dispatch runs, their lines and files, of claims and of delivery reports."""
