"""One module for each measurement, which returns a section of the results."""
