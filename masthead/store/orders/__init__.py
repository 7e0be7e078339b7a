"""What orders need: prices of products, and subscribers who may be known already."""
