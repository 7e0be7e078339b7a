"""Bulk actions: what is done to all chosen rows of a list, in one transaction."""
