"""Sending out an issue: dispatch runs, their lines, layout and files. Pure, without a database."""
