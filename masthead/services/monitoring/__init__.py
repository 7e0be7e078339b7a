"""What an operator wants to know of a running masthead."""
