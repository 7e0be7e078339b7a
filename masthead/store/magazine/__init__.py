"""The numbers of issues, and their covers."""
