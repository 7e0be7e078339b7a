"""Renewals: who lapsed, what ends soon, the files of both, and how many renewed."""
