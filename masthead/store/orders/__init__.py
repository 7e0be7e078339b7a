"""What orders need: prices of products, and readers who may be known already."""
