"""Faults of what masthead depends on: what a client sees, how fast, and how it recovers."""
