"""Gifts in an import that are billed, and the customer numbers of who paid."""

from masthead.services.billing.waiting import issue_waiting
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, row, undone
from tests.services.imports.test_billed_rows import AGENCY, billed, refused
from tests.support.billing import newest_invoices, turn_on_billing
from tests.support.checks import faults
from tests.support.factories import made, make_issue
from tests.support.walk import walk

GIFT = {"is_gift": "yes", "gifter_name": "Grace Hopper", "gifter_email": "grace@example.test"}


async def test_the_giver_of_a_gift_gets_the_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    address = {f"payer_{name}": AGENCY[f"payer_{name}"] for name in "address1 city country".split()}
    await imported(acme, billed("G1", **GIFT, **address), billed("G2", **GIFT, **address))
    await imported(acme, billed("G3", renews="G1", start_issue=""), sha256="2")
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert (invoice.document.payer.name, invoice.document.payer.email) == (
        "Grace Hopper",
        "grace@example.test",
    )
    assert [each.order_id for each in invoice.document.lines] == ["G1", "G2", "G3"]
    assert await faults(acme) == []


async def test_a_gift_goes_to_the_payer_whom_its_row_names(acme: Cast) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("G1", **GIFT, **AGENCY))
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.name == AGENCY["payer_company"]
    assert await faults(acme) == []


async def test_a_gift_is_billed_to_a_giver_who_is_known(acme: Cast) -> None:
    await turn_on_billing(acme)
    paid = row("P1", email="grace@example.test", first_name="Grace", last_name="Hopper", city="Ulm")
    await imported(acme, paid)
    await imported(acme, billed("G1", **GIFT), sha256="2")
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.city == "Ulm"


async def test_a_gift_of_somebody_new_needs_their_address(acme: Cast) -> None:
    await turn_on_billing(acme)
    assert "The address is missing" in await refused(acme, **GIFT)


async def test_a_gift_that_was_paid_is_renewed_at_the_expense_of_the_giver(acme: Cast) -> None:
    await turn_on_billing(acme)
    grace = row("P1", email="grace@example.test", first_name="Grace", city="Ulm")
    await imported(acme, grace, row("G1", city="Ulm", **GIFT))
    [gift] = await walk(acme, "/v1/subscriptions/", search="g1@example.test")
    body = {"source": acme.shop, "order_id": "R", "order_date": "2026-02-01", "price": "42"}
    address = f"/v1/subscriptions/{gift['id']}/renewals/"
    made(await acme.post(address, body | {"is_billed": True}))
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.email == "grace@example.test"


async def test_a_customer_number_says_who_pays_for_a_gift(acme: Cast) -> None:
    await turn_on_billing(acme)
    await imported(acme, billed("A1", **AGENCY, payer_number="9"))
    await imported(acme, billed("G1", **GIFT, payer_number="9"), sha256="2")
    await issue_waiting(acme.db, acme.account_id, by=BY)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.name == "Lesezirkel AG"


async def customer_numbers(cast: Cast) -> dict[str, int]:
    """The customer numbers of the account, by email."""
    async with cast.db.read() as db:
        found = await db.fetch_all(
            """
            SELECT u.email, p.number
            FROM payer p
            JOIN subscriber u ON u.account_id = p.account_id AND u.id = p.subscriber_id
            WHERE p.account_id = :account_id
            """,
            {"account_id": cast.account_id},
        )
    return {each["email"]: each["number"] for each in found}


async def test_who_paid_keeps_their_customer_number(acme: Cast) -> None:
    await make_issue(acme)
    batch = await imported(
        acme,
        row("P1", payer_number="70001"),
        row("P2", payer_number="70002", **GIFT),
        row("grace", payer_number="70002"),
        row("P3", payer_number="70001", email="p1@example.test"),
        row("P4", payer_number="70001", renews="P1", start_issue="", length="4"),
        row("P5"),
    )
    assert (batch.counts.imported, batch.counts.billed, batch.counts.rejected) == (6, 0, 0)
    expected = {"p1@example.test": 70001, "grace@example.test": 70002}
    assert await customer_numbers(acme) == expected
    await undone(acme, batch)
    assert await customer_numbers(acme) == {}
    assert await faults(acme) == []


async def test_a_customer_number_of_somebody_else_is_a_warning(acme: Cast) -> None:
    await make_issue(acme)
    rows = [row("P1", payer_number="7"), row("P2", payer_number="7")]
    rows.append(row("P3", email="p1@example.test", payer_number="8"))
    batch = await imported(acme, *rows)
    assert (batch.counts.imported, batch.counts.rejected) == (3, 0)
    assert await customer_numbers(acme) == {"p1@example.test": 7}
    assert [(each.text, each.example, each.line) for each in batch.reasons] == [
        ("This customer number belongs to someone else, so it is not stored.", "7", 3),
        ("Who paid has another customer number, so this one is not stored.", "8", 4),
    ]


async def test_without_a_record_of_the_giver_the_recipient_gets_the_invoice_and_no_number(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    batch = await imported(acme, row("G1", city="Ulm", payer_number="7", **GIFT))
    assert [each.text for each in batch.reasons] == [
        "The giver is not a subscriber, so their customer number is not stored."
    ]
    [gift] = await walk(acme, "/v1/subscriptions/")
    body = {"source": acme.shop, "order_id": "R", "order_date": "2026-02-01", "price": "42"}
    address = f"/v1/subscriptions/{gift['id']}/renewals/"
    made(await acme.post(address, body | {"is_billed": True}))
    [invoice] = await newest_invoices(acme)
    assert invoice.document.payer.email == "g1@example.test"
    assert await customer_numbers(acme) == {"g1@example.test": 1}
