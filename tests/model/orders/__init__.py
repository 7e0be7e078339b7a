"""The pure rules of orders."""
