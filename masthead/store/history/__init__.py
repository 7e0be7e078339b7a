"""The audit entries of a reader, a subscription or an issue."""
