"""Refunds whose money was not transferred are deleted; those that something else counts are not."""

import re
from datetime import date
from typing import Any

import pytest

from masthead.services.revenue.statements import request_statement
from tests.conftest import BY, Cast
from tests.support.billing import bill, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import make_issues, make_subscription
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import rows_of, shown
from tests.web.subscriptions.test_pages import trail


@pytest.fixture
async def sub(owner: Person, acme: Cast) -> dict[str, Any]:
    """A cancelled subscription of 42.00 with a refund of all of it."""
    await make_issues(acme, 1, 3)
    made = await make_subscription(acme, length=3, price="42.00")
    path = owner.address("subscriptions", made["id"], "cancel")
    await owner.send(path, {"reason": "moved", "refund": "share"})
    return made


async def refund_id(acme: Cast) -> str:
    [row] = await rows_of(acme, "refund")
    return str(row["id"])


async def test_a_refund_is_deleted_after_a_confirmation(
    owner: Person, acme: Cast, sub: dict[str, Any]
) -> None:
    id = await refund_id(acme)
    path = owner.address("subscriptions", sub["id"], "refund", id, "delete")
    assert path in await owner.text("subscriptions", sub["id"], "refund")
    text = words(await owner.http.get(path))
    assert re.search(r"€42\.00 of order \S+ was refunded on", text)
    assert "bookkeeping" not in text
    assert (await owner.send(path)).status_code == 303
    page = words(await owner.see("subscriptions", sub["id"]))
    assert "The refund of €42.00 is deleted." in page
    assert await rows_of(acme, "refund") == []
    now = await shown(acme, sub["id"])
    assert (now["status"], now["refunded"]) == ("Cancelled", "0.00")
    entry = (await trail(acme, sub["id"]))[-1]
    assert (entry["action"], entry["before"]) == (
        "subscription.delete_refund",
        {"refunded": "42.00"},
    )
    assert entry["after"]["amount"] == "42.00"
    assert await faults(acme) == []
    assert (await owner.post(path, owner.sent)).status_code == 303  # sent twice
    assert (await owner.http.get(path)).status_code == 404


async def test_a_refund_of_several_copies_is_deleted_as_a_whole(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    order = {"email": "a@x.test", "first_name": "Ada", "address1": "1 Mill Lane", "city": "Ulm"}
    typed = {**order, "postcode": "89073", "country": "DE", "length": "2", "price": "60"}
    made = await owner.send(owner.address("subscriptions", "new"), {**typed, "copies": "3"})
    id = made.headers["Location"].rstrip("/").rsplit("/", 1)[-1]
    path = owner.address("subscriptions", id, "cancel")
    await owner.send(path, {"reason": "moved", "refund": "share"})
    assert len(await rows_of(acme, "refund")) == 3
    page = await owner.text("subscriptions", id, "refund")
    [address] = set(re.findall(r'href="([^"]+/delete/)"', page))
    assert "€60.00 of the orders" in words(await owner.http.get(address))
    assert (await owner.send(address)).status_code == 303
    assert await rows_of(acme, "refund") == []
    assert await faults(acme) == []


async def test_reopening_asks_whether_the_money_was_transferred(
    owner: Person, acme: Cast, sub: dict[str, Any]
) -> None:
    path = owner.address("subscriptions", sub["id"], "reopen")
    text = words(await owner.http.get(path))
    assert "Refund of €42.00, recorded on" in text
    assert "The money has not been transferred: delete the refund" in text
    refused = await owner.send(path)
    assert refused.status_code == 400
    assert "Choose whether the money has been transferred." in words(refused)
    field = f"refund_{await refund_id(acme)}"
    assert (await owner.send(path, {field: "delete"})).status_code == 303
    page = words(await owner.see("subscriptions", sub["id"]))
    assert "The refund of €42.00 is deleted." in page
    now = await shown(acme, sub["id"])
    assert (now["status"], now["refunded"]) == ("Active", "0.00")
    assert await faults(acme) == []


async def test_a_refund_that_was_paid_out_stays_when_the_subscription_is_reopened(
    owner: Person, acme: Cast, sub: dict[str, Any]
) -> None:
    path = owner.address("subscriptions", sub["id"], "reopen")
    field = f"refund_{await refund_id(acme)}"
    assert (await owner.send(path, {field: "paid"})).status_code == 303
    assert (await shown(acme, sub["id"]))["refunded"] == "42.00"
    assert len(await rows_of(acme, "refund")) == 1


async def refused(owner: Person, acme: Cast, id: str, why: str) -> None:
    """The refund is not deleted, and each page says why."""
    address = owner.address("subscriptions", id, "refund", await refund_id(acme), "delete")
    assert why in words(await owner.see("subscriptions", id, "refund"))
    assert why in words(await owner.http.get(address))
    answer = await owner.post(address)
    assert answer.status_code == 400
    assert len(await rows_of(acme, "refund")) == 1


async def test_a_refund_in_a_revenue_statement_stays(
    owner: Person, acme: Cast, sub: dict[str, Any]
) -> None:
    [row] = await rows_of(acme, "refund")
    day = row["refund_date"]
    day = day if isinstance(day, date) else date.fromisoformat(day)
    await request_statement(acme.db, acme.account_id, day, today=day, by=BY)
    await refused(owner, acme, sub["id"], "It is in the statement of deferred revenue of")


async def test_a_credit_note_stays(owner: Person, acme: Cast) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    id = placed.subscriptions[0].id
    path = owner.address("subscriptions", id, "cancel")
    await owner.send(path, {"reason": "moved", "refund": "share"})
    await refused(owner, acme, id, "It is a credit note of invoice")


async def test_the_refund_of_a_skipped_issue_is_taken_back_with_the_issue(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 1)
    made = await make_subscription(acme, length=3, price="42.00")
    path = owner.address("subscriptions", made["id"], "skip")
    await owner.send(path, {"issues": "2", "instead": "credited"})
    await refused(owner, acme, made["id"], "It is for a skipped issue")
