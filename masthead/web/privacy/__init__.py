"""The pages of privacy: what is kept of a subscriber, erasures, and how long data is kept."""
