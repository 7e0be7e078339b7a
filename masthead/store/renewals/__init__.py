"""Renewals: the lists of who lapsed and who is about to, and the retention table."""
