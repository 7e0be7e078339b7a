"""Tests of how the cells of a row become an order."""
