"""The version of the API, and of this client.

Generated from the OpenAPI document by `make clients`; do not edit.
"""

__version__ = "1.0.0"
