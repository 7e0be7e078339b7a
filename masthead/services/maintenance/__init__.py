"""Jobs that run without a user: checks, the daily pass, the clock, and background updates."""
