"""SQL of the page for subscribers."""
