"""Files of the renewal lists."""
