"""Conditional requests: reads of what the client has already, writes of a version that it knows.

decision 0061.
"""
