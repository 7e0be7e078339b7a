"""Tests of the rules of revenue."""
