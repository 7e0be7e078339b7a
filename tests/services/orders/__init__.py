"""Orders and imports, through the services."""
