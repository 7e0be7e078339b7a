"""Planned changes of addresses: the rows, and the address of a subscription for an issue."""
