"""Shared by all pages: routing, context, forms, rendering and formatting."""
