"""The pure rules of sign-in."""
