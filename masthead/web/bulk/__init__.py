"""Pages to confirm bulk actions: what is done to all chosen rows of a list."""
