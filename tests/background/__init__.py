"""The background work of `serve`."""
