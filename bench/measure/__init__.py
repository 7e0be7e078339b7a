"""One module a measurement; each gives a section of the results."""
