"""Planned changes of addresses: what they change, for which issues, and until when."""
