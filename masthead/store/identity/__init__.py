"""Sign-in: sessions, one-time links, second factors, and counts of failed attempts."""
