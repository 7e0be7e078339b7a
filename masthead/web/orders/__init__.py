"""The page for orders from phone calls and letters."""
