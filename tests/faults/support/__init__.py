"""Disks, clocks and proxies that fail for the fault tests."""
