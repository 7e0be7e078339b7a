"""Faults of processes, disks, databases, networks, email servers and clocks."""
