"""Migrations of databases that hold data, and while others use them."""
