"""The pure rules of reports."""
