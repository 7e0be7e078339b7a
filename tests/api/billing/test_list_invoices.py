"""GET /v1/invoices/: the filters."""

from tests.conftest import Cast
from tests.support.billing import bill_one, set_exchange_rate, turn_on_billing
from tests.support.factories import made
from tests.support.walk import walk


async def test_invoices_are_found_by_their_kind_and_by_what_is_owed(acme: Cast) -> None:
    await turn_on_billing(acme)
    credited, paid, owed = [await bill_one(acme) for _ in range(3)]
    note = made(await acme.post(f"/v1/invoices/{credited.id}/credit/", {"reason": "Moved"}))["id"]
    part = {"number": paid.document.number}
    made(await acme.post("/v1/payments/", {"amount": "60", "invoices": [part]}))

    async def found(**filters: str) -> list[str]:
        return [str(each["id"]) for each in await walk(acme, "/v1/invoices/", 2, **filters)]

    assert await found(kind="invoice") == [owed.id, paid.id, credited.id]
    assert await found(kind="credit_note") == [note]
    assert await found(status="open") == [owed.id]
    assert await found(status="settled") == [note, paid.id, credited.id]
    assert await found(status="settled", kind="invoice") == [paid.id, credited.id]
    assert await found(status="settled", kind="credit_note") == [note]
    assert await found(status="open", kind="invoice", payer=owed.payer_id) == [owed.id]


async def test_vat_is_shown_in_the_currency_of_the_country_by_its_rate(acme: Cast) -> None:
    """Of the invoice and its credit note; null for one in that currency."""
    await turn_on_billing(acme)
    await set_exchange_rate(acme)
    own, francs = await bill_one(acme), await bill_one(acme, currency="CHF")
    made(await acme.post(f"/v1/invoices/{francs.id}/credit/", {"reason": "Moved"}))
    names = ("kind", "currency", "vat", "vat_converted", "vat_currency", "exchange_rate")
    rate = ("3.93", "4.21", "EUR", "1 EUR = 0.9342 CHF")
    assert [tuple(each[name] for name in names) for each in await walk(acme, "/v1/invoices/")] == [
        ("credit_note", "CHF", *rate),
        ("invoice", "CHF", *rate),
        ("invoice", "EUR", "3.93", None, None, None),
    ]
    found = (await acme.get(f"/v1/invoices/{own.id}/")).json()
    assert [found[name] for name in names[3:]] == [None, None, None]
