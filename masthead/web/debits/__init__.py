"""The pages of direct debits."""
