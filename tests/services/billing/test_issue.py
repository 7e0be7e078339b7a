"""Orders that are billed, and their invoices."""

from datetime import date
from typing import Any

import pytest

from masthead.model.billing.documents import DocumentKind
from masthead.model.errors import Invalid
from masthead.services.billing import waiting
from masthead.services.billing.issue import issue
from masthead.services.billing.payers import update_payer
from masthead.services.billing.waiting import issue_waiting
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast
from tests.support.billing import bill, bill_one, bill_together, newest_invoices, turn_on_billing
from tests.support.factories import make_issue
from tests.support.letters import execute
from tests.support.walk import walk


async def test_an_order_gets_an_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, order_reference="PO 77", due_days=30)
    document = invoice.document
    assert document.kind is DocumentKind.INVOICE
    assert document.number == f"{document.issue_date.year}-00001"
    assert (document.due_date - document.issue_date).days == 30
    assert (document.net, document.vat, document.total) == (5607, 393, 6000)
    assert invoice.open_amount == 6000
    assert document.order_reference == "PO 77"
    assert document.payer.number == 1
    assert document.payer.address.splitlines()[-2:] == ["1 Mill Lane", "89073 Ulm"]
    [line] = document.lines
    assert line.detail.startswith("Issues 1 to ")
    assert document.seller.iban == "DE89370400440532013000"


async def test_numbers_and_customer_numbers_have_no_gap(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", email="a@example.org")
    with pytest.raises(Invalid, match="issue"):
        await bill(acme, order_id="B", email="b@example.org", start_issue=9)
    second = await bill_one(acme, order_id="C", email="c@example.org")
    year = first.document.issue_date.year
    assert second.document.number == f"{year}-00002"
    assert second.document.payer.number == 2


@pytest.mark.parametrize(
    "fields, code, field",
    [
        ({"price": "0", "is_comp": True}, "nothing_to_bill", "price"),
        ({"transaction_id": "T"}, "validation_error", "transaction_id"),
        ({"payment_method": "card"}, "validation_error", "payment_method"),
        ({"is_billed": False, "due_days": 3}, "validation_error", "due_days"),
        ({"address1": ""}, "no_address", ""),
        ({"country": "FR"}, "missing_rate", ""),
    ],
)
async def test_an_order_that_cannot_be_billed_writes_nothing(
    acme: Cast, fields: dict[str, Any], code: str, field: str
) -> None:
    await turn_on_billing(acme)
    with pytest.raises(Invalid) as refusal:
        await bill(acme, **fields)
    assert (refusal.value.code, refusal.value.field) == (code, field)
    assert await walk(acme, "/v1/subscriptions/") == []


async def test_an_account_without_settings_bills_nothing(acme: Cast) -> None:
    with pytest.raises(Invalid) as refusal:
        await bill(acme)
    assert refusal.value.code == "billing_off"


async def test_several_copies_are_on_one_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, copies=3, price="100.00")
    assert [line.total for line in invoice.document.lines] == [3334, 3333, 3333]
    assert (invoice.document.vat, invoice.document.total) == (654, 10000)


async def test_a_bundle_has_two_rates(acme: Cast) -> None:
    await turn_on_billing(acme, digital_percent=20)
    invoice = await bill_one(acme, medium="Print + digital")
    assert [(line.rate, line.total) for line in invoice.document.lines] == [
        (700, 4800),
        (1900, 1200),
    ]


async def test_vat_is_added_to_prices_without_it(acme: Cast) -> None:
    await turn_on_billing(acme, prices_include_vat=False)
    invoice = await bill_one(acme, price="60.00")
    assert (invoice.document.net, invoice.document.vat) == (6000, 420)
    [subscription] = await walk(acme, "/v1/subscriptions/")
    assert subscription["periods"][0]["order_date"] == "2026-01-15"


async def test_the_orders_of_an_agency_wait_for_one_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    agency = (await bill_one(acme, email="agency@example.org")).payer_id
    await update_payer(acme.db, acme.account_id, agency, vat_id="", bills_together=True, by=BY)
    for name in ("B", "C"):
        made = await bill(acme, order_id=name, email=f"{name}@example.org", payer_id=agency)
        assert made.invoices == []
    issued = await issue_waiting(acme.db, acme.account_id, by=BY)
    assert (issued.count, issued.problems) == (1, {})
    assert (await issue_waiting(acme.db, acme.account_id, by=BY)).count == 0


async def test_invoices_of_many_payers_are_issued_in_several_transactions(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "PAYERS_OF_A_WRITE", 1)
    await turn_on_billing(acme)
    payers = {await bill_together(acme, email=f"{name}@example.org") for name in "AB"}
    issued = await issue_waiting(acme.db, acme.account_id, by=BY)
    assert (issued.count, issued.problems) == (2, {})
    assert {each.payer_id for each in await newest_invoices(acme)} == payers


async def test_a_payer_without_an_address_keeps_nobody_waiting(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = (await bill_one(acme, email="a@example.org")).payer_id
    lost = await bill(acme, order_id="B", email="b@example.org", payer_id=first, address1="")
    assert len(lost.invoices) == 1
    subscriber = lost.subscriptions[0].subscriber.id
    await update_payer(acme.db, acme.account_id, subscriber, vat_id="", bills_together=True, by=BY)
    await bill(acme, order_id="C", subscriber_id=subscriber, address1="", city="", postcode="")
    other = (await bill_one(acme, order_id="D", email="d@example.org")).payer_id
    await update_payer(acme.db, acme.account_id, other, vat_id="", bills_together=True, by=BY)
    await bill(acme, order_id="E", subscriber_id=other)
    issued = await issue_waiting(acme.db, acme.account_id, by=BY)
    assert issued.count == 1
    assert "postal address" in issued.problems[subscriber]


async def test_the_period_of_delivery_is_from_the_first_to_the_last_issue(acme: Cast) -> None:
    await turn_on_billing(acme)
    await make_issue(acme, 2, release_date_actual="2027-03-01")
    await execute(
        acme,
        "UPDATE issue SET release_date_actual = '2026-12-01' WHERE number = 1 AND account_id ="
        " :account_id",
    )
    both = (await bill_one(acme, length=2)).document
    assert (both.supplied_from, both.supplied_to) == (date(2026, 12, 1), date(2027, 3, 1))
    longer = (await bill_one(acme, length=3)).document
    assert (longer.supplied_from, longer.supplied_to) == (date(2026, 12, 1), None)


async def test_the_statistics_of_orders_are_updated_before_their_invoices_are_issued(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many orders in a new database: with plans for empty tables, each invoice read all of them."""
    done = list[str]()
    analyze = type(acme.db).analyze_grown

    async def analyze_first(db: Database) -> None:
        done.append("analyze")
        await analyze(db)

    async def issue_then(*args: Any, **options: Any) -> list[str]:
        done.append("issue")
        return await issue(*args, **options)

    await turn_on_billing(acme)
    await bill_together(acme)
    monkeypatch.setattr(type(acme.db), "analyze_grown", analyze_first)
    monkeypatch.setattr(waiting, "issue", issue_then)
    await issue_waiting(acme.db, acme.account_id, by=BY)
    assert done == ["analyze", "issue"]
