"""The webhooks of the API."""
