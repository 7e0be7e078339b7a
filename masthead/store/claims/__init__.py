"""The SQL of claims, and what is known of a subscriber and an issue."""
