"""The work of `serve` besides requests: each job has a loop of its own and holds no other up."""
