"""The writes of masthead, each with its rules and in one transaction."""
