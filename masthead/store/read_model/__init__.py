"""The read model: the JSON of each subscription, kept ready to serve."""
