"""Read everything of an account for an export, and write it into another account."""
