"""The server ends in every way that it can, and begins again."""
