"""Renewal letters: their texts, who gets one, and the address that ends them."""
