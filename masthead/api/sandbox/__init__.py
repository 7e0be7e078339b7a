"""`/v1/sandbox/`: the clock of a sandbox, and the emails that it kept."""
