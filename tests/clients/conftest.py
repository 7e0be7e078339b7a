"""Clients of the API of a test."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from masthead_client import AsyncMasthead, Masthead
from tests.conftest import Cast
from tests.support.bridge import AsyncBridge, Bridge


@pytest.fixture
async def office(acme: Cast) -> AsyncIterator[AsyncMasthead]:
    """A client with the read-write key of an account without data."""
    async with AsyncMasthead("http://test", acme.key, transport=AsyncBridge(acme)) as client:
        yield client


@pytest.fixture
async def desk(acme: Cast) -> AsyncIterator[Masthead]:
    """The same without asyncio: use it in a thread, as its requests wait for the event loop."""
    transport = Bridge(acme, asyncio.get_running_loop())
    with Masthead("http://test", acme.key, transport=transport) as client:
        yield client
