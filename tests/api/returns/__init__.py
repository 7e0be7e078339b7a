"""Tests: The API of delivery reports."""
