"""The background work of `serve`: each job has its own loop, so none delays another."""
