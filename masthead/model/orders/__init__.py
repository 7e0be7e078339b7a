"""Orders: what opens a subscription or adds a period to one."""
