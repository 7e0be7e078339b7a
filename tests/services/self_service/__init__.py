"""Tests of what subscribers do on their own pages."""
