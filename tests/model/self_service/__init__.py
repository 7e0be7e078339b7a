"""The rules of self-service."""
