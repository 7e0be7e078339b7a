"""The SQL of webhooks: endpoints, and what was sent to them."""
