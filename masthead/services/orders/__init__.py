"""The order pipeline: look up, decide, write."""
