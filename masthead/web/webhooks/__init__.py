"""Settings: webhooks, and the messages that were sent to them."""
