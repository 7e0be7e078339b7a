"""The pages about what carriers report."""
