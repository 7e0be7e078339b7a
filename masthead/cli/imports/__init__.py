"""The commands of imports."""
