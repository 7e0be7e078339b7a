"""Events: what happens to the records of an account, for programs."""
