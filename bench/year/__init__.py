"""A year of a large publisher, simulated."""
