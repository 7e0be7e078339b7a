"""Hold subscriptions, and release them: by hand, and with an invoice."""
