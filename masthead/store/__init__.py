"""SQL and nothing else; every function takes the account that it is about."""
