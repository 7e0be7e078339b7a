"""The pages of the desk about the page for subscribers: its settings, and what they did."""
