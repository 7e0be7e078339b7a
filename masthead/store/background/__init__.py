"""The state of background work: leases, the clock, and the outbox."""
