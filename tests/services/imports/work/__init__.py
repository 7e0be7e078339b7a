"""Tests of what imports make, when they run again and when they are undone."""
