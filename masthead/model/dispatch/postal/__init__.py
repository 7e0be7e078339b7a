"""What is known of posts: address formats, names and groups of countries, PO boxes."""
