"""Safe retries: a request with an `Idempotency-Key` is done once. decision 0055."""
