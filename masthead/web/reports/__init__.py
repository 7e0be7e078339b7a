"""The first page, and the forecast of print runs."""
