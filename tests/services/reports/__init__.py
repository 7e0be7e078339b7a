"""Reports, gathered from the data that the API and imports made."""
