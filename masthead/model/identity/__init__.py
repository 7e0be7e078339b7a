"""Sign-in: the pure rules of passwords, second factors and browsers."""
