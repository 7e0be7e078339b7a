"""Races of concurrent writers, each with a positive control that fails."""
