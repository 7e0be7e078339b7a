"""Send events to webhooks, in a process of their own."""
