"""The pages for sending out an issue: dispatch runs, claims, returns and export profiles."""
