"""The back office of a magazine publisher, behind a REST API."""

__version__ = "0.3.0.dev0"
