"""Read and write whole databases, for copies, backups and restores."""
