"""Generates docs/performance.md and its plots from the results."""
