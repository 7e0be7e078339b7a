"""The pages of dispatch runs."""
