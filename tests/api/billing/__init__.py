"""The claims of the API, and why a subscriber did not get an issue."""
