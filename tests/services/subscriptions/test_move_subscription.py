"""A subscription moves to another subscriber, with its invoice or without it."""

from typing import Any

import pytest

from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.orders.known_subscribers import LikelyPayers
from masthead.model.subscriptions.billed_changes import InvoiceChoice
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.subscriptions.move import Move, Moved, move_subscription
from tests.conftest import BY, Cast
from tests.support.billing import (
    BERLIN,
    HOME,
    bill,
    bill_together,
    newest_invoices,
    owed,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.debits import collect_all, debit_one, make_debtor, turn_on_debits
from tests.support.factories import (
    PLACEHOLDER_DOMAIN,
    make_issue,
    make_issues,
    make_subscription,
    plan_address,
)
from tests.support.subscribers import make_subscriber, merge


async def move(cast: Cast, id: str, to_id: str | None, choice: str = "", **fields: Any) -> Moved:
    """Move a subscription; by default with its address."""
    answer = (await cast.get(f"/v1/subscriptions/{id}/")).json()
    asked = {"takes_address": True, "seen": answer["subscriber"]["id"], **fields}
    also = asked.pop("also", ())
    wanted = Move(to_id=to_id, choice=InvoiceChoice(choice) if choice else None, **asked)
    return await move_subscription(
        cast.db,
        cast.account_id,
        id,
        wanted,
        also=also,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def test_all_that_is_about_it_moves_and_copies_go_to_the_new_address(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, email="old@x.test", **HOME)
    other = await make_subscription(acme, email="new@x.test", first_name="Bea", **BERLIN)
    await move(acme, made["id"], other["subscriber"]["id"])
    now = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert now["subscriber"]["id"] == other["subscriber"]["id"]
    assert now["shipping_address"]["city"] == "Berlin"
    old = (await acme.get(f"/v1/subscribers/{made['subscriber']['id']}/")).json()
    assert old["subscription_count"] == 0
    assert await faults(acme) == []


async def test_each_is_found_by_their_own_name_also_after_two_moves(acme: Cast) -> None:
    """The first subscription of a subscriber shares a row of the search index with them."""
    await make_issue(acme)
    made = await make_subscription(acme, first_name="Albert", email="a@x.test", **HOME)
    people = [await make_subscriber(acme, f"{n}@x.test", first_name=n, **BERLIN) for n in "BC"]
    for to_id in people:
        await move(acme, made["id"], to_id)
        assert await faults(acme) == []
    for search, count in (("Albert", 1), ("a@x.test", 1), (made["periods"][0]["order_id"], 1)):
        found = (await acme.get(f"/v1/subscribers/?search={search}")).json()["items"]
        assert len(found) == count, search
    [only] = (await acme.get("/v1/subscriptions/?search=c@x.test&limit=1")).json()["items"]
    assert only["subscriber"]["id"] == people[1]
    assert (await acme.get("/v1/subscriptions/?search=Albert")).json()["items"] == []
    other = await make_subscriber(acme, "d@x.test", first_name="Dora", **BERLIN)
    await merge(acme, kept=other, merged=str(made["subscriber"]["id"]))
    assert await faults(acme) == []


async def test_without_the_address_copies_go_where_they_went(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **HOME)
    new = PayerEntry(
        payer_first_name="Cleo", **{f"payer_{name}": text for name, text in BERLIN.items()}
    )
    moved = await move(acme, made["id"], None, new_person=new, takes_address=False)
    now = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert now["subscriber"]["id"] == moved.subscriber_id
    assert now["shipping_address"]["city"] == "Ulm"
    assert await faults(acme) == []


@pytest.mark.parametrize("choice", ["keep", "replace"])
async def test_the_invoice_stays_or_follows(acme: Cast, choice: str) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme, email="old@x.test")
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    moved = await move(acme, placed.subscriptions[0].id, to_id, choice)
    old = placed.subscriptions[0].subscriber.id
    if choice == "keep":
        assert moved.document_ids == []
        assert await owed(acme) == [(60_00, 60_00)]
    else:
        assert await owed(acme) == [(60_00, 0), (-60_00, 0), (60_00, 60_00)]
        assert [each.payer_id for each in await newest_invoices(acme)] == [to_id, old, old]
    assert await faults(acme) == []


async def test_only_its_own_orders_leave_an_invoice_for_several(acme: Cast) -> None:
    await turn_on_billing(acme)
    ids = [each.id for each in (await bill(acme, copies=3, price="180.00")).subscriptions]
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    await move(acme, ids[0], to_id, "replace", also=ids[1:2])
    assert await owed(acme) == [(180_00, 60_00), (-120_00, 0), (120_00, 120_00)]
    assert await faults(acme) == []


async def test_an_order_that_waits_is_billed_to_the_new_subscriber(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    id = (await bill(acme, subscriber_id=payer)).subscriptions[0].id
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    await move(acme, id, to_id, "replace")
    rows = await acme.db.fetch_all(
        "SELECT payer_id FROM billed_order WHERE account_id = :a ORDER BY period_id",
        {"a": acme.account_id},
    )
    assert [row["payer_id"] for row in rows] == [payer, to_id]
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "last_name, email, message",
    [
        ("Bell", "cleo@x.test", "cleo@x.test is the email of Cleo Roth. Use that subscriber, or"),
        ("Roth", "new@x.test", "This may be a subscriber that you already have. Use that"),
    ],
)
async def test_a_new_person_may_be_one_who_is_known(
    acme: Cast, last_name: str, email: str, message: str
) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **HOME)
    known = await make_subscriber(
        acme, "cleo@x.test", first_name="Cleo", last_name="Roth", **BERLIN
    )
    person = {"payer_first_name": "Cleo", "payer_last_name": last_name, "payer_email": email}
    new = PayerEntry(**person, **{f"payer_{name}": text for name, text in BERLIN.items()})
    with pytest.raises(LikelyPayers, match=message) as refusal:
        await move(acme, made["id"], None, new_person=new)
    assert [each.id for each in refusal.value.subscribers] == [known]
    now = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert now["subscriber"] == made["subscriber"]


async def test_a_planned_address_is_cancelled_before_the_address_changes(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    made = await make_subscription(acme, **HOME)
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    await plan_address(acme, made["id"], 2, **BERLIN)
    with pytest.raises(Invalid, match="A change of address is planned") as refusal:
        await move(acme, made["id"], to_id)
    assert (refusal.value.code, refusal.value.field) == ("address_planned", "takes_address")
    await move(acme, made["id"], to_id, takes_address=False)
    assert await faults(acme) == []


async def test_an_invoice_that_was_credited_is_not_replaced(acme: Cast) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme, email="old@x.test")
    [invoice] = await newest_invoices(acme)
    await credit_invoice(acme.db, acme.account_id, invoice.id, amount=None, reason="Gift", by=BY)
    before = await owed(acme)
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    moved = await move(acme, placed.subscriptions[0].id, to_id, "replace")
    assert moved.document_ids == []
    assert await owed(acme) == before
    assert await faults(acme) == []


async def test_an_invoice_that_is_being_collected_keeps_the_subscription(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme, **HOME))
    await collect_all(acme)
    [row] = await acme.db.fetch_all(
        "SELECT subscription_id FROM period WHERE account_id = :a AND id = :id",
        {"a": acme.account_id, "id": invoice.document.lines[0].period_id},
    )
    to_id = await make_subscriber(acme, "new@x.test", **BERLIN)
    with pytest.raises(Invalid, match="is being collected by direct debit") as refusal:
        await move(acme, row["subscription_id"], to_id, "replace")
    assert refusal.value.code == "in_collection"
    await move(acme, row["subscription_id"], to_id, "keep")


async def test_what_cannot_be_is_refused_and_changes_nothing(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **HOME)
    own = made["subscriber"]["id"]
    bare = str((await make_subscription(acme, email="bare@x.test"))["subscriber"]["id"])
    for to_id, code in ((own, "same_subscriber"), (bare, "no_address"), (None, "validation_error")):
        with pytest.raises(Invalid) as refusal:
            await move(acme, made["id"], to_id)
        assert refusal.value.code == code
    with pytest.raises(Invalid) as refusal:
        await move(acme, made["id"], bare, takes_address=False, seen=bare)
    assert refusal.value.code == CHANGED_MEANWHILE
    now = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert now["subscriber"]["id"] == own
