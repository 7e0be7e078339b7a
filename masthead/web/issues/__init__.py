"""The pages of issues: lists, numbers, covers and downloads."""
