"""Conditional requests."""
