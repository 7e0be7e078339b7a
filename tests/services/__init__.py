"""Rules and transactions, tried through the services themselves."""
