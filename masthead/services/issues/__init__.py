"""Create and change issues, their numbers and their covers."""
