"""The pages of the export of an account."""
