"""Renewals: who lapsed, who is about to, and how many renewed."""
