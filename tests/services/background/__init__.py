"""Tests of checks, the daily pass, the clock, the read model and trends."""
