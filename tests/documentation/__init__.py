"""The documentation: its examples work, and the names in it exist."""
