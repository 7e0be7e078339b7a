"""The pages about what carriers report: shipped and returned copies, and copy keys."""
