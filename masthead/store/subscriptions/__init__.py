"""Subscriptions, their periods, and what changes in the life of one."""
