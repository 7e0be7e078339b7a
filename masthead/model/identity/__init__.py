"""Identity: the pure rules of sign-ins, memberships, rights and API keys."""
