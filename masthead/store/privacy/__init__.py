"""What is kept of a subscriber, erasures, and the rules of retention."""
