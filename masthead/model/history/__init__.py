"""What happened to a reader, a subscription or an issue: grouped, and in words."""
