"""Tests: Importing what carriers report."""
