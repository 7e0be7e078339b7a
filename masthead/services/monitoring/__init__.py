"""The state of a running masthead, for its operator."""
