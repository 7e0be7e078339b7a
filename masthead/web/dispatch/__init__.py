"""The pages for sending out an issue: its dispatch runs and their files."""
