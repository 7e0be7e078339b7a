"""Check the invariants of the data, for `masthead check`."""
