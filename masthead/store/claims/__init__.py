"""The SQL of claims, and what is known of a reader and an issue."""
