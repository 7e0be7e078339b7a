"""Pages that correct, merge and compare readers, and their notes."""
