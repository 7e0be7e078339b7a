"""Revenue: takings, the state of orders on a day, and stored statements."""
