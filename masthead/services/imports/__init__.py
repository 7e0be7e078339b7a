"""Imports: files of any table are read, mapped to orders, rehearsed, placed and undone."""
