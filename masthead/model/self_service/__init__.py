"""The page for subscribers: its settings, and what subscribers can do there."""
