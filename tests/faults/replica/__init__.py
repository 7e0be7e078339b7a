"""A primary and its replica: two real servers."""
