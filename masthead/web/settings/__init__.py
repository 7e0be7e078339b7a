"""The settings of an account."""
