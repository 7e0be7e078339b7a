"""Direct debits: mandates, collections, and what comes back."""
