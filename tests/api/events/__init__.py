"""The events of the API."""
