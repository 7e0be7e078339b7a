"""Pages that let data out."""
