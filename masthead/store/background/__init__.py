"""State of the background work: leases, the heartbeat, and the outbox of emails."""
