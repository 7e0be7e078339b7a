"""Payers who are merged, erased or imported: what becomes of their invoices."""

import pytest

from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.billing.resources import PaymentResource
from masthead.model.emails import Site
from masthead.model.errors import Invalid
from masthead.model.orders.known_subscribers import LikelyPayers
from masthead.services.billing.emails import email_invoices
from masthead.services.billing.new_payers import write_chosen_payer
from masthead.services.privacy.erase import preview_erasure
from masthead.services.subscribers.undo_merge import undo_merge
from masthead.store.billing import payers, resources as store
from tests.conftest import BY, Cast
from tests.support.billing import HOME, bill, bill_one, bill_together, read_invoice, turn_on_billing
from tests.support.factories import PLACEHOLDER_DOMAIN
from tests.support.privacy import erase
from tests.support.subscribers import make_subscriber, merge

SITE = Site("https://masthead.test", PLACEHOLDER_DOMAIN)


async def pay(cast: Cast, **fields: object) -> PaymentResource:
    answer = await cast.post("/v1/payments/", {"amount": "60.00", **fields})
    assert answer.status_code == 201, answer.text
    async with cast.db.read() as connection:
        return await store.get_payment(connection, cast.account_id, answer.json()["id"])


async def test_a_merge_moves_what_is_billed_and_its_undo_moves_it_back(acme: Cast) -> None:
    await turn_on_billing(acme)
    merged = await bill_together(acme, email="old@x.test")
    invoice = await bill_one(acme, subscriber_id=await make_subscriber(acme, "mid@x.test"))
    kept = await make_subscriber(acme, "new@x.test")
    paid = await pay(acme, payer=invoice.payer_id, reference="Thanks")
    await merge(acme, kept, invoice.payer_id)
    merge_id = await merge(acme, kept, merged)
    moved = await read_invoice(acme, invoice.id)
    assert (moved.payer_id, moved.document) == (kept, invoice.document)
    listed = (await acme.get(f"/v1/invoices/?payer={invoice.payer_id}")).json()["items"]
    assert [each["payer"]["id"] for each in listed] == [kept]
    assert (await acme.get(f"/v1/payments/{paid.id}/")).json()["payer"] == kept
    async with acme.db.read() as connection:
        assert (await payers.find_payers(connection, acme.account_id, [kept]))[kept].number == 3
    await undo_merge(acme.db, acme.account_id, merge_id, by=BY)
    rows = await acme.db.fetch_all(
        "SELECT payer_id FROM billed_order WHERE account_id = :id ORDER BY period_id",
        {"id": acme.account_id},
    )
    assert [row["payer_id"] for row in rows] == [merged, kept]


async def test_an_erasure_keeps_invoices_as_they_were_issued(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await make_subscriber(acme, "ada@x.test", first_name="Zebedee")
    invoice = await bill_one(acme, subscriber_id=payer, first_name="Zebedee")
    paid = await pay(acme, payer=payer, reference="From Zebedee")
    await erase(acme, payer)
    kept = await read_invoice(acme, invoice.id)
    assert kept.document == invoice.document
    assert "Zebedee" in kept.document.payer.name
    assert (await acme.get(f"/v1/payments/{paid.id}/")).json()["reference"] == ""
    trail = await acme.db.fetch_all(
        "SELECT before, after FROM audit WHERE account_id = :id", {"id": acme.account_id}
    )
    assert "Zebedee" not in str([dict(row) for row in trail])
    events = (await acme.get("/v1/events/?limit=200")).json()["items"]
    assert "Zebedee" not in str(events)


async def test_an_erasure_says_before_that_money_is_open(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = (await bill_one(acme)).payer_id

    async def read() -> tuple[bool, bool]:
        async with acme.db.read() as db:
            found = await preview_erasure(
                db, acme.account_id, payer, placeholder_domain=PLACEHOLDER_DOMAIN
            )
        said = " ".join(found.open_money)
        return "are open" in said, "You owe this subscriber" in said

    assert await read() == (True, False)
    await pay(acme, payer=payer)
    assert await read() == (False, False)
    await pay(acme, payer=payer)
    assert await read() == (False, True)


async def test_an_erasure_waits_for_the_invoice_of_orders(acme: Cast) -> None:
    await turn_on_billing(acme)
    payer = await bill_together(acme)
    with pytest.raises(Invalid, match="wait for their invoice") as refused:
        await erase(acme, payer)
    assert refused.value.code == "unbilled_orders"


async def test_a_known_payer_is_named_for_an_order(acme: Cast) -> None:
    await turn_on_billing(acme)
    with pytest.raises(Invalid, match="not a subscriber of this account") as refused:
        await bill(acme, payer_id="NOSUCH")
    assert (refused.value.code, refused.value.field) == ("unknown_subscriber", "payer_id")


async def choose(cast: Cast, entry: PayerEntry | None, vat_id: str = "") -> str:
    """The id of a payer as the page of an invoice stores them."""
    return await write_chosen_payer(
        cast.db,
        cast.account_id,
        "",
        new_payer=entry,
        vat_id=vat_id,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )


async def test_a_typed_payer_with_a_known_email_is_that_subscriber_or_refused(acme: Cast) -> None:
    await turn_on_billing(acme)
    known = await make_subscriber(acme, "ada@x.test", first_name="Ada", last_name="Lee")
    address = {f"payer_{name}": value for name, value in HOME.items()}
    same = PayerEntry(
        payer_first_name="Ada", payer_last_name="Lee", payer_email="ADA@x.test", **address
    )
    assert await choose(acme, same, "DE136695976") == known
    async with acme.db.read() as db:
        assert (await payers.find_payers(db, acme.account_id, [known]))[known].vat_id == (
            "DE136695976"
        )
    other = PayerEntry(payer_company="Acme GmbH", payer_email="ada@x.test", **address)
    with pytest.raises(LikelyPayers, match=r"ada@x\.test is the email of Ada Lee") as refused:
        await choose(acme, other)
    assert [each.id for each in refused.value.subscribers] == [known]


async def test_only_payers_with_an_email_address_get_their_invoice_by_email(acme: Cast) -> None:
    await turn_on_billing(acme)
    made = [await bill_one(acme), await bill_one(acme, email="ada@x.test")]
    count = await email_invoices(
        acme.db, acme.account_id, [each.id for each in made], site=SITE, by=BY
    )
    rows = await acme.db.fetch_all(
        "SELECT invoice_id FROM outbox WHERE account_id = :id", {"id": acme.account_id}
    )
    assert (count, [row["invoice_id"] for row in rows]) == (1, [made[1].id])
