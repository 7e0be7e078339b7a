"""The pages of claims, and of the answers why a reader got an issue or did not."""
