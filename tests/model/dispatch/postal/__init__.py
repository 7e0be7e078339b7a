"""What is known of posts."""
