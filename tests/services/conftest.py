"""Fixtures for the tests of the services."""

import secrets

import pytest


@pytest.fixture
def network() -> str:
    """A network address that no other test uses for failed sign-ins."""
    return f"2001:db8:{secrets.randbelow(2**16):x}:{secrets.randbelow(2**16):x}::1"
