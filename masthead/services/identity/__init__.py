"""Sign-in of users: passwords, second factors, sessions and invitations."""
