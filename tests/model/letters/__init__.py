"""Renewal letters."""
