"""The command about the state of a running masthead."""
