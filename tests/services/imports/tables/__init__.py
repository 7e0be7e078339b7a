"""Tests: Reading tables of any kind."""
