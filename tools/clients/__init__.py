"""Generates the parts of the clients in `clients/` that come from the OpenAPI document."""
