"""The endpoints of dispatch runs."""
