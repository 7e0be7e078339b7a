"""What masthead stands on is broken, and it recovers."""
