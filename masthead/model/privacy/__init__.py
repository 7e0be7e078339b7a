"""Privacy: what is kept of a subscriber, what an erasure removes, and how long data is kept."""
