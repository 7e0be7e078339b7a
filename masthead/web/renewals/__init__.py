"""Pages about renewals: who lapsed and who is about to."""
