"""Sign-in: passwords, second factors, sessions, invitations."""
