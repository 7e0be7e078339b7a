"""The programs in docs/recipes.md do what the page says, against a running API."""

import asyncio
import re
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.conftest import Cast
from tests.support.billing import HOME, turn_on_billing
from tests.support.bridge import Bridge
from tests.support.factories import PLACEHOLDER_DOMAIN, make_issue, make_subscription
from tests.support.keyed_requests import new_key

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.fixture
def programs(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The functions of the page."""
    found: dict[str, Any] = {}
    for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        exec(block, found)  # noqa: S102 - our own page
    monkeypatch.setattr(time, "sleep", lambda _: None)  # the pauses between attempts
    return found


def client_of(cast: Cast, *, lost: int = 0) -> httpx.Client:
    """The client of the page, whose requests reach the API of the test. Needs an event loop."""
    return httpx.Client(
        base_url="http://test",
        headers={"Authorization": f"Bearer {cast.key}"},
        transport=Bridge(cast, asyncio.get_running_loop(), lost),
    )


async def test_a_shop_sends_each_order_once(acme: Cast, programs: dict[str, Any]) -> None:
    await make_issue(acme, number=3)
    await make_issue(acme, number=4, date_as_start_issue="2026-02-01")
    await make_issue(acme, number=5, date_as_start_issue="2026-05-01")
    address = {"first_name": "Ada", "city": "London", "country": "GB"}
    client, key = client_of(acme, lost=2), new_key()
    reader = client_of(acme)
    order = await asyncio.to_thread(
        lambda: programs["new_order"](reader, acme.shop, "WEB-1", "2026-02-10", address, "42.00")
    )
    assert order["start_issue"] == 4
    made = await asyncio.to_thread(programs["send_order"], client, order, key)
    again = await asyncio.to_thread(programs["send_order"], client, order, new_key())
    assert made == again, "after the time of the key, the order id finds it"
    listed = await acme.get("/v1/subscriptions/")
    assert [each["id"] for each in listed.json()["items"]] == [made]
    moved = await asyncio.to_thread(
        lambda: programs["change_address"](client, made, city="Leeds", first_name="Ada")
    )
    assert moved["shipping_address"]["city"] == "Leeds"
    for _ in range(2):  # the second time, with another key
        renewal = [made, acme.shop, "WEB-1-2", "2026-11-10", "42.00", new_key()]
        assert await asyncio.to_thread(programs["renew"], client, *renewal) is None
    assert len((await acme.get(f"/v1/subscriptions/{made}/")).json()["periods"]) == 2
    assert await asyncio.to_thread(programs["stop"], client, made) == "Cancelled"
    wrong = order | {"order_id": "WEB-2", "country": "Britain"}
    with pytest.raises(ValueError, match="`country`"):
        await asyncio.to_thread(programs["send_order"], client, wrong, new_key())


async def test_a_shop_sells_on_invoice(acme: Cast, programs: dict[str, Any]) -> None:
    await turn_on_billing(acme)
    client = client_of(acme)
    address = {"first_name": "Ada", **HOME}
    order = await asyncio.to_thread(
        lambda: programs["new_order"](client, acme.shop, "WEB-1", "2026-02-10", address, "42.00")
    )
    assert order["start_issue"] == 1
    key = new_key()
    ordered, invoice = await asyncio.to_thread(programs["send_on_invoice"], client, order, key)
    assert (ordered["issue_list"], invoice["open_amount"]) == ([1, 2, 3, 4], "42.00")
    paid = (invoice["number"], "50.00", new_key())
    for _ in range(2):
        assert await asyncio.to_thread(programs["record_payment"], client, *paid) == "8.00"
    [payment] = (await acme.get("/v1/payments/")).json()["items"]
    assert payment["invoices"][0]["id"] == invoice["id"]


async def test_a_newsletter_follows_the_subscribers(acme: Cast, programs: dict[str, Any]) -> None:
    await make_issue(acme)
    await make_subscription(acme, email="ada@example.test", first_name="Ada", last_name="King")
    await make_subscription(acme, email=None)
    gone = await make_subscription(acme, email="gone@example.test")
    await acme.post(f"/v1/subscriptions/{gone['id']}/cancel/", {"mode": "cancel"})
    client = client_of(acme)
    recipients = await asyncio.to_thread(programs["find_recipients"], client, PLACEHOLDER_DOMAIN)
    assert recipients == {"ada@example.test": "Ada King"}
    listed = {"gone@example.test"}
    assert programs["compare"](recipients, listed) == (["ada@example.test"], ["gone@example.test"])
    change = programs["change_email"]
    words = ("ada@example.test", "king@example.test")
    assert await asyncio.to_thread(change, client, *words)
    assert not await asyncio.to_thread(change, client, *words), "nobody has the old address"
    assert not await asyncio.to_thread(change, client, "king@example.test", "gone@example.test")
