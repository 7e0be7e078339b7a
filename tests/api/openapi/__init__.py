"""The OpenAPI document, and clients made from it."""
