"""Data for orders: prices of products, and subscribers who may be known already."""
