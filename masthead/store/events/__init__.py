"""The events of an account: written with each change, and listed for programs."""
