"""The audit trail: written with every change, listed by filters."""
