"""Events: their types, and which entries of the audit trail are events."""
