"""What many tests share: the cast, servers, databases and an email server."""
