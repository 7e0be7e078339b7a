"""Pages for signing in and for a person's own profile."""
