"""Direct debits."""
