"""Pages: renewal letters, and the page that ends them for a subscriber."""
