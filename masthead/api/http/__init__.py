"""HTTP: ASGI messages, middleware, rate limits, and JSON in both directions."""
