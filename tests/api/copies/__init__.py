"""The endpoints of issues and copies."""
