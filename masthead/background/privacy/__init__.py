"""The background job of privacy."""
