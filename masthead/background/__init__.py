"""The background work of `serve`: each job has its own loop and delays no other job."""
