"""The background work: the daily pass, the clock, and updates of derived data."""
