"""Shared by many tests: records, servers, databases and an email server."""
