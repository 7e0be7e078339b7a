"""An account that has a million of everything, for the pages: made by SQL in some minutes."""
