"""Record claims, and tell why a reader got an issue or did not."""
