"""One module a step, in order of their numbers; after a release steps only add."""
