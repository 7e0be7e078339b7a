"""Move whole databases: copies to another engine, backups, and restoring them."""
