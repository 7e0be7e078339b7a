"""Work without a user: checks, the daily pass, the clock, and refills."""
