"""The page that refunds orders, and the refunds of a cancellation."""

from datetime import date
from typing import Any

import pytest

from masthead.model.identity.rights import ALL_RIGHTS, Right
from masthead.store.engine.interface import Database
from tests.conftest import Cast
from tests.support.billing import bill, bill_together, owed, turn_on_billing
from tests.support.cases import for_each
from tests.support.checks import faults
from tests.support.factories import import_row, make_issues, make_membership, make_subscription
from tests.web.conftest import Person, fields_of
from tests.web.subscribers.test_pages import words
from tests.web.subscriptions.facts import cancel, mark, rows_of, shown
from tests.web.subscriptions.test_pages import trail
from tests.web.test_rights import give

WHY = {"reason": "too expensive"}


async def amount_field(owner: Person, id: str, place: int = 0) -> str:
    """The name of the field with the refund of an order."""
    names = fields_of((await owner.see("subscriptions", id, "refund")).text)
    return [name for name in names if name.startswith("amount_")][place]


@pytest.fixture
async def sub(acme: Cast) -> dict[str, Any]:
    """A subscription of Acme for 42.00."""
    await make_issues(acme, 1, 1)
    return await make_subscription(acme, price="42.00")


async def test_a_refund_without_a_cancellation_changes_only_the_money(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 2)
    sub = await make_subscription(acme, price="42.00", email="ada@example.test")
    path = owner.address("subscriptions", sub["id"], "refund")
    field = await amount_field(owner, sub["id"])
    response = await owner.send(
        path, {field: "4,50", "refund_date": "2026-02-01", "reason": "Issue 1 was torn"}
    )
    assert response.status_code == 303
    said = words(await owner.http.get(response.headers["Location"]))
    assert "A refund of €4.50 is recorded." in said
    after = await shown(acme, sub["id"])
    assert (after["status"], after["refunded"]) == ("Active", "4.50")
    subscriber = (await acme.get(f"/v1/subscribers/{sub['subscriber']['id']}/")).json()
    assert subscriber["ltv"] == "37.50"
    [row] = await rows_of(acme, "refund")
    assert (row["amount"], row["refund_date"]) == (450, date(2026, 2, 1))
    assert (row["reason"], row["actor_kind"]) == ("Issue 1 was torn", "user")
    [entry] = (await trail(acme, sub["id"]))[1:]
    assert entry["action"] == "subscription.refund"
    assert entry["after"]["refunded"] == "4.50"
    assert (await owner.post(path, owner.sent)).status_code == 303  # sent twice
    assert len(await rows_of(acme, "refund")) == 1
    text = words(await owner.http.get(path))
    assert "The order costs €42.00; issues that were sent: 0 of 4." in text
    assert "€4.50 was refunded before, so at most €37.50 is left." in text
    assert "Issue 1 was torn" in text
    assert await faults(acme) == []


@for_each(
    "typed, message",
    [
        ({"amount": ""}, "Type the amount to refund."),
        ({"amount": "0"}, "Type the amount to refund."),
        ({"amount": "a lot"}, "Type the amount like 42.00."),
        ({"amount": "-3"}, "Type the amount like 42.00."),
        ({"amount": "42.01"}, "at most €42.00 can be refunded."),
        ({"amount": "1", "refund_date": "soon"}, "Type the date like 2026-01-15."),
        ({"amount": "1", "refund_date": "2999-01-01"}, "which is in the future."),
        ({"amount": "1", "refund_date": "2026-01-14"}, "before its order of 15 January 2026."),
        ({"amount": "1", "reason": "x" * 256}, "Reason"),
        ({"amount": "1", "seen": "{"}, "The form is incomplete."),
    ],
)
async def test_a_refund_that_cannot_be_is_refused_at_its_field(
    owner: Person, acme: Cast, sub: dict[str, Any], typed: dict[str, str], message: str
) -> None:
    field = await amount_field(owner, sub["id"])
    fields = {field if name == "amount" else name: value for name, value in typed.items()}
    path = owner.address("subscriptions", sub["id"], "refund")
    response = await owner.send(path, fields)
    assert response.status_code == 400
    assert message in words(response)
    kept = fields_of(response.text)
    assert {name: kept[name] for name in fields} == fields
    assert await rows_of(acme, "refund") == []


async def test_a_second_refund_must_be_confirmed_if_another_was_recorded_meanwhile(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="42.00")
    path = owner.address("subscriptions", sub["id"], "refund")
    field = await amount_field(owner, sub["id"])
    opened = {**fields_of((await owner.http.get(path)).text), field: "10"}
    assert (await owner.send(path, {field: "10"})).is_redirect
    response = await owner.post(path, opened)
    assert response.status_code == 400
    assert "€10.00 are refunded now" in words(response)
    assert (await owner.post(path, fields_of(response.text))).is_redirect
    assert (await shown(acme, sub["id"]))["refunded"] == "20.00"
    assert await faults(acme) == []


async def test_an_unknown_period_is_not_refunded(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="0.00")
    page = words(await owner.see("subscriptions", sub["id"], "refund"))
    assert "There is nothing left to refund." in page
    path = owner.address("subscriptions", sub["id"], "refund")
    response = await owner.post(path, {"seen": "{}", "refund_date": "2026-02-01"})
    assert response.status_code == 400


async def test_a_cancelled_and_a_complete_subscription_can_be_refunded(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 1)
    for status in ("Cancelled", "Complete"):
        sub = await make_subscription(acme, length=1)
        if status == "Cancelled":
            await cancel(acme, sub["id"])
        else:
            await mark(acme, sub["id"], 1)
        field = await amount_field(owner, sub["id"])
        path = owner.address("subscriptions", sub["id"], "refund")
        assert (await owner.send(path, {field: "42"})).is_redirect
        after = await shown(acme, sub["id"])
        assert (after["status"], after["refunded"]) == (status, "42.00")
    assert await faults(acme) == []


async def test_amounts_in_another_currency_have_its_decimals(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    sub = await import_row(acme, start_issue="1", length="2", price="4200", currency="JPY")
    field = await amount_field(owner, sub["id"])
    path = owner.address("subscriptions", sub["id"], "refund")
    assert (await owner.send(path, {field: "1.5"})).status_code == 400
    assert (await owner.send(path, {field: "1500"})).is_redirect
    assert (await shown(acme, sub["id"]))["refunded"] == "1500"


# --- Refunds of a cancellation -------------------------------------------------------------------


async def test_a_cancellation_proposes_the_paid_share_of_what_was_not_sent(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 3)
    sub = await make_subscription(acme, length=3, price="10.00")
    await mark(acme, sub["id"], 1)
    path = owner.address("subscriptions", sub["id"], "cancel")
    text = words(await owner.http.get(path))
    assert "The share for issues not sent: €6.67" in text  # 10.00 - 3.33
    response = await owner.send(path, {**WHY, "notes": "Retired", "refund": "share"})
    assert response.status_code == 303
    said = words(await owner.http.get(response.headers["Location"]))
    assert "A refund of €6.67 is recorded." in said
    after = await shown(acme, sub["id"])
    assert (after["status"], after["refunded"]) == ("Cancelled", "6.67")
    [row] = await rows_of(acme, "cancellation")
    assert (row["reason"], row["notes"], row["status_before"]) == (
        "too expensive",
        "Retired",
        "Active",
    )
    [refund] = await rows_of(acme, "refund")
    assert (refund["amount"], refund["reason"]) == (667, "too expensive")
    page = words(await owner.see("subscriptions", sub["id"]))
    assert "Reason: Too expensive." in page
    assert "Retired" in page
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "choice, typed, refunded",
    [
        ("nothing", "", "0.00"),
        ("nothing", "0", "0.00"),
        ("nothing", "10,00", "0.00"),  # what the page proposed, left as it was
        ("share", "", "10.00"),
        ("amounts", "5", "5.00"),
    ],
)
async def test_a_cancellation_refunds_what_was_chosen(
    owner: Person, acme: Cast, choice: str, typed: str, refunded: str
) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="10.00")
    field = await amount_field(owner, sub["id"])
    path = owner.address("subscriptions", sub["id"], "cancel")
    assert (await owner.send(path, {**WHY, "refund": choice, field: typed})).is_redirect
    assert (await shown(acme, sub["id"]))["refunded"] == refunded
    assert len(await rows_of(acme, "refund")) == (0 if choice == "nothing" else 1)
    assert await faults(acme) == []


@pytest.mark.parametrize("choice", ["nothing", "share"])
async def test_a_typed_amount_that_would_not_be_refunded_is_not_ignored(
    owner: Person, acme: Cast, choice: str
) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="10.00")
    field = await amount_field(owner, sub["id"])
    path = owner.address("subscriptions", sub["id"], "cancel")
    response = await owner.send(path, {**WHY, "refund": choice, field: "5"})
    assert response.status_code == 400
    assert "You typed an amount, but chose not to use it." in words(response)
    assert (await shown(acme, sub["id"]))["status"] == "Active"
    answer = {**fields_of(response.text), "refund": "amounts"}
    assert answer[field] == "5"
    assert (await owner.post(path, answer)).is_redirect
    assert (await shown(acme, sub["id"]))["refunded"] == "5.00"


async def test_the_amount_of_the_only_order_is_not_optional(owner: Person, acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="10.00", order_id="ONE")
    for page in ("cancel", "refund"):
        text = words(await owner.see("subscriptions", sub["id"], page))
        assert "Refund of order ONE · 15 January 2026 · €10.00" in text
        assert "€10.00 optional" not in text


async def test_a_cancellation_with_a_wrong_refund_changes_nothing(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="10.00")
    field = await amount_field(owner, sub["id"])
    path = owner.address("subscriptions", sub["id"], "cancel")
    for typed, message in (
        ({"reason": ""}, "Choose a reason."),
        ({"notes": "x" * 10_001}, "words"),
        ({"refund": "amounts", field: "x"}, "Type the amount like 42.00."),
        ({"refund": "amounts", field: ""}, "Type the amount, or choose “Nothing” above."),
        ({"refund": "amounts", field: "11"}, "at most €10.00 can be refunded"),
        ({"refund": "share", "refund_date": "2999-01-01"}, "in the future"),
    ):
        response = await owner.send(path, {**WHY, **typed})
        assert response.status_code == 400, typed
        assert message in words(response)
        assert (await shown(acme, sub["id"]))["status"] == "Active"
    assert await rows_of(acme, "refund") == await rows_of(acme, "cancellation") == []


@pytest.mark.parametrize("refund", ["share", "amounts"])
async def test_nothing_is_refunded_if_there_is_no_amount(
    owner: Person, acme: Cast, refund: str
) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme, price="0.00")
    path = owner.address("subscriptions", sub["id"], "cancel")
    assert (await owner.send(path, {**WHY, "refund": refund})).is_redirect
    assert await rows_of(acme, "refund") == []
    assert (await shown(acme, sub["id"]))["status"] == "Cancelled"


async def test_the_share_of_a_membership_is_that_of_the_days_left(
    owner: Person, acme: Cast
) -> None:
    await make_issues(acme, 1, 1)
    ended = await make_membership(acme, period_start="2025-01-01", period_end="2025-12-31")
    later = await make_membership(acme)
    text = words(await owner.see("subscriptions", later["id"], "cancel"))
    assert "The share for the days that are left: €42.00" in text
    text = words(await owner.see("subscriptions", ended["id"], "refund"))
    assert "The order costs €42.00; days that have passed: 365 of 365." in text


async def test_an_api_cancellation_is_recorded_without_a_reason(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    sub = await make_subscription(acme)
    for _ in range(2):
        await cancel(acme, sub["id"])
    [row] = await rows_of(acme, "cancellation")
    assert (row["reason"], row["notes"], row["actor_kind"]) == ("", None, "key")
    assert await faults(acme) == []


async def test_an_import_records_its_refund_with_the_date_of_the_order(acme: Cast) -> None:
    await make_issues(acme, 1, 1)
    await import_row(acme, start_issue="1", length="1", refunded="2.00")
    [row] = await rows_of(acme, "refund")
    assert (row["amount"], row["refund_date"]) == (200, date(2026, 1, 15))
    assert await faults(acme) == []


async def test_what_makes_a_credit_note_needs_the_right_to_bill(
    db: Database, staff: Person, acme: Cast
) -> None:
    await turn_on_billing(acme)
    pages: dict[str, dict[str, Any]] = {
        "refund": {},
        "cancel": {**WHY, "refund": "share"},
        "copies": {"count": "1", "first_issue": "2", "refunds": "y"},
        "skip": {"issues": ["2"], "instead": "credited"},
        "price": {"price": "72.00", "invoice_action": "credit"},
    }
    needed = "need the right “Bill and record payments”."
    for page, typed in pages.items():
        placed = await bill(acme, order_id=page, copies=2, length=4, price="80")
        id, before = placed.subscriptions[0].id, await owed(acme)
        path = staff.address("subscriptions", id, page)
        if page == "refund":
            typed[await amount_field(staff, id)] = "4.50"
        await give(db, acme, staff, ALL_RIGHTS - {Right.BILL})
        assert needed in words(await staff.http.get(path)), page
        refused = await staff.send(path, typed)
        assert refused.status_code == 403, page
        assert "This needs the right “Bill and record payments”." in words(refused), page
        assert await owed(acme) == before
        await give(db, acme, staff, ALL_RIGHTS)
        assert needed not in words(await staff.http.get(path)), page
        assert (await staff.send(path, typed)).is_redirect, page
        assert len(await owed(acme)) > len(before), page
    assert await faults(acme) == []


async def test_an_order_that_waits_is_refunded_without_the_right_to_bill(
    db: Database, staff: Person, acme: Cast
) -> None:
    """No credit note is made: less is billed."""
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    listed = (await acme.get(f"/v1/subscriptions/?subscriber={payer}")).json()["items"]
    id = next(each["id"] for each in listed if each["price"] == "60.00")
    await give(db, acme, staff, frozenset({Right.SEE_MONEY, Right.CORRECT}))
    field = await amount_field(staff, id)
    path = staff.address("subscriptions", id, "refund")
    assert (await staff.send(path, {field: "4.50"})).is_redirect
    assert await owed(acme) == []
    assert (await shown(acme, id))["refunded"] == "4.50"
