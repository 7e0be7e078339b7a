"""Sign-in, through the services."""
