"""Revenue statements, and what a subscriber paid in other currencies."""
