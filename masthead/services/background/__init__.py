"""What the background work does: the daily pass, the clock, and updates of derived data."""
