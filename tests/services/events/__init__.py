"""The events that services write."""
