"""Subscribers."""
