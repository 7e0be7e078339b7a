"""Exports: everything of an account as files, and its way back into an empty account."""
