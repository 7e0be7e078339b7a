"""Privacy: exports about a subscriber, erasures and retention."""
