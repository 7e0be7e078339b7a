"""The pages of privacy."""
