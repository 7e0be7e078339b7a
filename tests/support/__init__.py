"""Support for many tests: records, servers, databases and an email server."""
