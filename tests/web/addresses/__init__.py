"""The pages that change addresses."""
