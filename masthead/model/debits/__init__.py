"""Direct debits: mandates, what is collected by them, and what comes back."""
