"""A subscription goes to another subscriber, and an order gets another price."""

from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.billing import BERLIN, HOME, bill, owed, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import make_issue, make_subscription
from tests.support.keyed_requests import new_key, send
from tests.support.subscribers import make_subscriber


async def test_it_moves_with_its_address_and_its_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    id = (await bill(acme, email="old@x.test")).subscriptions[0].id
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    body = {"subscriber": to_id, "invoice_action": "replace", "reason": "Gave it away"}
    answer = await acme.post(f"/v1/subscriptions/{id}/move/", body)
    assert answer.status_code == 200, answer.text
    assert answer.json() == (await acme.get(f"/v1/subscriptions/{id}/")).json()
    assert answer.json()["subscriber"]["id"] == to_id
    assert answer.json()["shipping_address"]["city"] == "Berlin"
    assert await owed(acme) == [(60_00, 0), (-60_00, 0), (60_00, 60_00)]
    assert await faults(acme) == []


async def test_without_more_its_invoice_stays_and_its_copies_stay_where_asked(acme: Cast) -> None:
    await turn_on_billing(acme)
    ids = [each.id for each in (await bill(acme, copies=2, price="120.00")).subscriptions]
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    body = {"subscriber": to_id, "takes_address": False, "all_copies": True}
    assert (await acme.post(f"/v1/subscriptions/{ids[0]}/move/", body)).status_code == 200
    for id in ids:
        now = (await acme.get(f"/v1/subscriptions/{id}/")).json()
        assert (now["subscriber"]["id"], now["shipping_address"]["city"]) == (to_id, "Ulm")
    assert await owed(acme) == [(120_00, 120_00)]


@pytest.mark.parametrize(
    "price, invoice, documents",
    [
        ("48.00", "replace", [(60_00, 0), (-60_00, 0), (48_00, 48_00)]),
        ("48.00", "credit", [(60_00, 48_00), (-12_00, 0)]),
        ("72.00", "replace", [(60_00, 0), (-60_00, 0), (72_00, 72_00)]),
        ("0.00", "replace", [(60_00, 0), (-60_00, 0)]),
    ],
)
async def test_the_invoice_follows_the_price(
    acme: Cast, price: str, invoice: str, documents: list[tuple[int, int]]
) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    path = f"/v1/subscriptions/{placed.subscriptions[0].id}/price/"
    body = {"order_id": placed.order_id, "price": price, "invoice_action": invoice}
    answer = await acme.post(path, body)
    assert answer.status_code == 200, answer.text
    is_credit = invoice == "credit"
    assert answer.json()["periods"][0]["price"] == ("60.00" if is_credit else price)
    assert await owed(acme) == documents
    assert await faults(acme) == []


async def test_the_price_may_be_of_all_copies(acme: Cast) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme, copies=3, price="180.00")
    path = f"/v1/subscriptions/{placed.subscriptions[0].id}/price/"
    listed = (await acme.get(path.removesuffix("price/"))).json()["periods"]
    body = {"order_id": listed[0]["order_id"], "price": "100.00", "invoice_action": "replace"}
    answer = await acme.post(path, {**body, "all_copies": True})
    assert answer.json()["periods"][0]["price"] == "33.34"
    assert await owed(acme) == [(180_00, 0), (-180_00, 0), (100_00, 100_00)]


async def test_a_retry_changes_nothing_and_an_old_version_is_refused(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, order_id="P-1", price="60.00", **HOME)
    path = f"/v1/subscriptions/{made['id']}/"
    tag = (await acme.get(path)).headers["ETag"]
    body = {"order_id": "P-1", "price": "48.00"}
    key, match = new_key(), {"If-Match": tag}
    first = await send(acme, "POST", f"{path}price/", body, key, **match)
    again = await send(acme, "POST", f"{path}price/", body, key, **match)
    assert first.status_code == again.status_code == 200
    assert again.content == first.content
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    for part, changed in (("price", body | {"price": "1"}), ("move", {"subscriber": to_id})):
        stale = await send(acme, "POST", f"{path}{part}/", changed, None, **match)
        assert stale.status_code == 412
    assert (await acme.get(path)).content == first.content


async def test_a_price_below_what_is_refunded_names_the_price(acme: Cast) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    path = f"/v1/subscriptions/{placed.subscriptions[0].id}"
    body = {"order_id": placed.order_id, "amount": "10.00"}
    assert (await acme.post(f"{path}/refunds/", body)).status_code == 201
    body = {"order_id": placed.order_id, "price": "5.00", "invoice_action": "replace"}
    error = (await acme.post(f"{path}/price/", body)).json()
    assert (error["code"], error["field"]) == ("less_than_refunded", "price")


@pytest.mark.parametrize(
    "part, body, code, field",
    [
        ("price", {"order_id": "NOSUCH", "price": "1"}, "unknown_order", "order_id"),
        ("price", {"price": "48"}, "is_on_invoice", "invoice_action"),
        ("price", {"price": "72", "invoice_action": "credit"}, "costs_more", "invoice_action"),
        ("price", {"price": "48", "invoice_action": "keep"}, "validation_error", "invoice_action"),
        ("price", {"price": "48.001", "invoice_action": "replace"}, "validation_error", "price"),
        ("move", {"subscriber": "NOSUCH"}, "unknown_subscriber", "subscriber"),
        ("move", {"subscriber": "own"}, "same_subscriber", "subscriber"),
        ("move", {"subscriber": "bare"}, "no_address", "takes_address"),
        (
            "move",
            {"subscriber": "bare", "invoice_action": "credit"},
            "validation_error",
            "invoice_action",
        ),
    ],
)
async def test_what_cannot_be_names_the_field_and_changes_nothing(
    acme: Cast, part: str, body: dict[str, Any], code: str, field: str
) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    own = placed.subscriptions[0]
    bare = (await make_subscription(acme, email="bare@x.test"))["subscriber"]["id"]
    known = {"own": own.subscriber.id, "bare": bare}
    if part == "move":
        asked = body.get("subscriber", "bare")
        body = body | {"subscriber": known.get(asked, asked)}
    else:
        body = {"order_id": placed.order_id, **body}
    before = (await acme.get(f"/v1/subscriptions/{own.id}/")).json()
    refused = await acme.post(f"/v1/subscriptions/{own.id}/{part}/", body)
    assert refused.status_code == 400, refused.text
    assert (refused.json()["code"], refused.json()["field"]) == (code, field)
    assert (await acme.get(f"/v1/subscriptions/{own.id}/")).json() == before
    assert await owed(acme) == [(60_00, 60_00)]
