"""The bodies of submitted forms."""
