"""Read bank statements in CAMT.053, MT940 and CSV."""
