"""Issues, their numbers, their covers, and the copies that they miss."""
