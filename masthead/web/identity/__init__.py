"""Pages to sign in, and the profile of the signed-in user."""
