"""Sign-in: sessions, links, second factors, and counts of failed attempts."""
