"""The documentation: what it shows is run, what it lists exists."""
