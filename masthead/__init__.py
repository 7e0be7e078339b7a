"""The back office of a magazine publisher, behind a REST API."""

__version__ = "0.2.0"
