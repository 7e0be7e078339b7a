"""Orders of WooCommerce, Shopify and Stripe become subscriptions once, if their signature is right.

The bodies in `recorded` are written by the documentation of the shops; the signatures are made here
with the standard library, by the descriptions of the shops.
"""

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import shopify_orders
import stripe_orders
import woocommerce_orders

from masthead_client import AsyncMasthead
from tests.conftest import Cast
from tests.examples.conftest import recorded
from tests.support.factories import make_issue, make_issues
from tools.clients.files import ROOT

SECRET = "whsec_of_the_shop"
Start = Callable[[Any], httpx.AsyncClient]


def in_base64(body: bytes, secret: str = SECRET) -> str:
    digest = hmac.new(secret.encode(), body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def of_woocommerce(body: bytes) -> dict[str, str]:
    return {"X-WC-Webhook-Signature": in_base64(body), "X-WC-Webhook-Topic": "order.updated"}


def of_shopify(body: bytes, topic: str = "orders/paid") -> dict[str, str]:
    return {"X-Shopify-Hmac-Sha256": in_base64(body), "X-Shopify-Topic": topic}


def of_stripe(body: bytes, *, age: int = 0) -> dict[str, str]:
    moment = int(time.time()) - age
    digest = hmac.new(SECRET.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest()
    return {"Stripe-Signature": f"t={moment},v1={'0' * 64},v0=abc,v1={digest}"}


SHOPS = [
    pytest.param(woocommerce_orders, "woocommerce_order", of_woocommerce, 2, id="woocommerce"),
    pytest.param(shopify_orders, "shopify_order", of_shopify, 1, id="shopify"),
    pytest.param(stripe_orders, "stripe_session", of_stripe, 1, id="stripe"),
]


@pytest.fixture(autouse=True)
def secrets_of_shops(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WOOCOMMERCE_SECRET", "SHOPIFY_SECRET", "STRIPE_SECRET"):
        monkeypatch.setenv(name, SECRET)


async def subscriptions_of(office: AsyncMasthead) -> list[Any]:
    return [each async for each in office.subscriptions.list()]


@pytest.mark.parametrize("program, name, sign, count", SHOPS)
async def test_an_order_that_is_sent_twice_is_placed_once(
    acme: Cast,
    office: AsyncMasthead,
    receiver_of: Start,
    program: Any,
    name: str,
    sign: Callable[[bytes], dict[str, str]],
    count: int,
) -> None:
    await make_issues(acme, 1, 2)
    body = json.dumps(recorded(name)).encode()
    async with receiver_of(program) as shop:
        for _ in range(2):
            answer = await shop.post("/orders", content=body, headers=sign(body))
            assert (answer.status_code, answer.text) == (200, "")
            assert len(await subscriptions_of(office)) == count


@pytest.mark.parametrize("program, name, sign, count", SHOPS)
async def test_an_order_without_the_right_signature_is_refused(
    acme: Cast,
    office: AsyncMasthead,
    receiver_of: Start,
    program: Any,
    name: str,
    sign: Callable[[bytes], dict[str, str]],
    count: int,
) -> None:
    await make_issue(acme)
    body = json.dumps(recorded(name)).encode()
    wrong = [{}, sign(body + b" "), {key: f"{text}0" for key, text in sign(body).items()}]
    async with receiver_of(program) as shop:
        for headers in wrong:
            answer = await shop.post("/orders", content=body, headers=headers)
            assert (answer.status_code, answer.text) == (401, "The signature is wrong.")
        answer = await shop.post("/orders", content=body + b" ", headers=sign(body))
        assert answer.status_code == 401
    assert await subscriptions_of(office) == []


@pytest.mark.parametrize("program, name, sign, count", SHOPS)
async def test_an_order_that_masthead_refuses_is_reported_and_can_be_sent_again(
    acme: Cast,
    office: AsyncMasthead,
    receiver_of: Start,
    program: Any,
    name: str,
    sign: Callable[[bytes], dict[str, str]],
    count: int,
) -> None:
    body = json.dumps(recorded(name)).encode()
    async with receiver_of(program) as shop:
        answer = await shop.post("/orders", content=body, headers=sign(body))
        assert (answer.status_code, "create one first" in answer.text) == (503, True)
        await make_issue(acme)
        wrong = json.dumps(recorded(name)).replace('"GB"', '"UK"').replace('"CA"', '"UK"')
        refused = wrong.replace('"DE"', '"UK"').encode()
        answer = await shop.post("/orders", content=refused, headers=sign(refused))
        assert (answer.status_code, "`country`" in answer.text) == (422, True)
        assert await subscriptions_of(office) == []
        answer = await shop.post("/orders", content=body, headers=sign(body))
        assert answer.status_code == 200
    assert len(await subscriptions_of(office)) == count


async def post(shop: httpx.AsyncClient, body: Any, sign: Any, **options: Any) -> int:
    content = json.dumps(body).encode()
    answer = await shop.post("/orders", content=content, headers=sign(content, **options))
    return answer.status_code


async def test_woocommerce(acme: Cast, office: AsyncMasthead, receiver_of: Start) -> None:
    await make_issue(acme, date_as_start_issue="2026-01-01")
    await make_issue(acme, number=2, date_as_start_issue="2999-01-01")
    order = recorded("woocommerce_order")
    async with receiver_of(woocommerce_orders) as shop:
        assert await post(shop, order | {"status": "pending"}, of_woocommerce) == 200
        assert await subscriptions_of(office) == []
        assert await post(shop, order, of_woocommerce) == 200
        ping = await shop.post("/orders", content=b"webhook_id=4")
        assert ping.status_code == 200
    second, first = await subscriptions_of(office)
    assert {first["price"], second["price"]} == {"42.80"}, "85.60 for two copies, with tax"
    assert first["subscriber"]["email"] == "grace@example.org"
    assert first["shipping_address"] == {
        "company": "Compiler Ltd",
        "address1": "12 St James's Square",
        "address2": "3rd floor",
        "city": "London",
        "state": None,
        "postcode": "SW1Y 4JH",
        "country": "GB",
        "country_name": "United Kingdom",
        "phone": "+1 703 555 0100",
    }
    assert (first["order_date"], first["currency"]) == ("2026-03-01", "EUR")
    assert (first["promo_code"], first["medium"], first["length"]) == ("spring", "Print", 4)
    assert first["start_issue"]["number"] == 1, "the second begins in 2999"
    digital = recorded("woocommerce_order")
    digital |= {"id": 728, "shipping": dict.fromkeys(digital["shipping"], "")}
    async with receiver_of(woocommerce_orders) as shop:
        assert await post(shop, digital, of_woocommerce) == 200
    newest = (await subscriptions_of(office))[0]
    assert newest["shipping_address"]["city"] == "Arlington"


async def test_shopify(acme: Cast, office: AsyncMasthead, receiver_of: Start) -> None:
    await make_issues(acme, 1, 3)
    order = recorded("shopify_order")
    async with receiver_of(shopify_orders) as shop:
        assert await post(shop, order, of_shopify, topic="orders/create") == 200
        assert await post(shop, order | {"test": True}, of_shopify) == 200
        assert await subscriptions_of(office) == []
        assert await post(shop, order, of_shopify) == 200
    [made] = await subscriptions_of(office)
    assert (made["price"], made["currency"]) == ("53.55", "USD"), "56 - 5 + 2.55 tax"
    assert (made["order_date"], made["medium"]) == ("2026-03-02", "Print + digital"), "in UTC"
    assert (made["shipping_address"]["state"], made["shipping_address"]["country"]) == ("ON", "CA")
    assert made["start_issue"]["number"] == 3, "without dates, the newest issue"
    found = office.subscriptions.list(order_id="shopify-820982911946154508-866550311766439020")
    assert [each["id"] async for each in found] == [made["id"]]


async def test_stripe(acme: Cast, office: AsyncMasthead, receiver_of: Start) -> None:
    await make_issues(acme, 1, 2)
    session, invoice = recorded("stripe_session"), recorded("stripe_invoice")
    unpaid = recorded("stripe_session")
    unpaid["data"]["object"]["payment_status"] = "unpaid"
    other = recorded("stripe_session")
    other["data"]["object"]["metadata"] = {}
    async with receiver_of(stripe_orders) as shop:
        assert await post(shop, session, of_stripe, age=400) == 401, "sent again by somebody else"
        for ignored in (unpaid, other):
            assert await post(shop, ignored, of_stripe) == 200
        assert await subscriptions_of(office) == []
        assert await post(shop, invoice, of_stripe) == 503, "it arrived before its session"
        assert await post(shop, session, of_stripe) == 200
        for _ in range(2):
            assert await post(shop, invoice, of_stripe) == 200
        first = recorded("stripe_invoice")
        first["data"]["object"] |= {"id": "in_1First", "billing_reason": "subscription_create"}
        assert await post(shop, first, of_stripe) == 200
    [made] = await subscriptions_of(office)
    assert (made["first_name"], made["last_name"]) == ("Emmy van", "Noether")
    assert (made["subscriber"]["email"], made["is_recurring"]) == ("emmy@example.org", True)
    assert made["shipping_address"]["postcode"] == "10117"
    assert [each["length"] for each in made["periods"]] == [4, 4]
    assert {each["order_date"] for each in made["periods"]} == {"2026-03-01", "2026-05-21"}
    assert (made["price"], made["total_length"]) == ("45.00", 8)


async def test_the_shop_of_the_readme(
    acme: Cast, office: AsyncMasthead, receiver_of: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme)
    monkeypatch.setenv("MYSHOP_SECRET", SECRET)
    page = (ROOT / "examples" / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    names = vars(shopify_orders) | {"check_signature": lambda body, headers: None}
    exec(block, names)  # noqa: S102 - our own page
    order = {"id": 7, "date": "2026-03-01", "paid": "42", "name": "Ada", "country": "GB"}
    async with receiver_of(SimpleNamespace(create_app=names["create_app"])) as shop:
        for _ in range(2):
            assert await post(shop, order | {"sku": "MAGAZINE-4"}, of_shopify) == 200
    assert [each["price"] for each in await subscriptions_of(office)] == ["42.00"]
    [example] = re.findall(r"^ORDER=(.+)$", page, re.MULTILINE)
    assert (ROOT / example).is_file()


@pytest.mark.parametrize("name", ["MASTHEAD_SOURCE", "STRIPE_SECRET"])
async def test_a_setting_that_is_missing_is_said_at_the_start(
    receiver_of: Start, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.delenv(name)
    with pytest.raises(SystemExit, match=f"{name} is not set"):
        receiver_of(stripe_orders)


def test_amounts_of_stripe() -> None:
    read = stripe_orders.read_amount
    assert (read(4200, "eur"), read(4200, "jpy"), read(5, "usd")) == ("42.00", "4200", "0.05")
