"""What an export contains: its files, their columns, and what is left out."""
