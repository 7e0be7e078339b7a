"""Pages to sign in."""
