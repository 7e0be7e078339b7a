"""Checks, the daily pass, the clock and refills."""
