"""Tests of revenue statements and takings."""
