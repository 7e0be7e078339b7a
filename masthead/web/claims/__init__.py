"""The pages of claims, and of the answers why a subscriber got an issue or did not."""
