"""Faults of processes, disks, databases, networks, mail servers and clocks."""
