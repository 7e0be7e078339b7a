"""Direct debits: mandates, debits and collections."""
