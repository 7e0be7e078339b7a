"""Exports that owners ask for: the job, and the process that writes one."""
