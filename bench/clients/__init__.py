"""Clients that measure a server."""
