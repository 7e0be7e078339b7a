"""The read model: the JSON of each subscription, stored ready to serve."""
