"""`masthead copy-database`, `masthead backup` and `masthead restore`."""
