"""The records of a subscriber, erasures, and the rules of retention."""
