"""Export everything about a subscriber, erase it, and apply the rules of retention."""
