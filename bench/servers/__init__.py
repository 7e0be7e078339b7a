"""What masthead is measured beside: the same server without its work."""
