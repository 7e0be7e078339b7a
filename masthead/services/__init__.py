"""What may be done: every write with its rules, in one transaction."""
