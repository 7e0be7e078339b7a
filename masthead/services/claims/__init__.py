"""Record claims, and tell why a subscriber got an issue or did not."""
