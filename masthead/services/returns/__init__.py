"""Imports what carriers report: shipped copies, undeliverable addresses, and moves."""
