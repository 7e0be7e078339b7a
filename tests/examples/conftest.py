"""The examples, with clients that reach the API of a test."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import shop_orders

from masthead_client import AsyncMasthead
from tests.conftest import Cast
from tests.support.bridge import AsyncBridge

RECORDED = Path(__file__).parent / "recorded"


def recorded(name: str) -> Any:
    """A body as the shop sends it, written by its documentation."""
    return json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture
async def office(acme: Cast) -> AsyncIterator[AsyncMasthead]:
    """A client of an account that has no data but its sources."""
    async with AsyncMasthead("http://test", acme.key, transport=AsyncBridge(acme)) as client:
        yield client


@pytest.fixture
def receiver_of(
    acme: Cast, office: AsyncMasthead, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Any], httpx.AsyncClient]:
    """Start the program of an example, and return a client of it."""
    monkeypatch.setattr(shop_orders, "connect", lambda: office)
    for name in ("MASTHEAD_URL", "MASTHEAD_KEY"):
        monkeypatch.setenv(name, "unused")
    monkeypatch.setenv("MASTHEAD_SOURCE", acme.shop)

    def start(program: Any) -> httpx.AsyncClient:
        transport = httpx.ASGITransport(program.create_app())
        return httpx.AsyncClient(base_url="http://shop.test", transport=transport)

    return start
