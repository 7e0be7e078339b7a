"""GET /v1/invoices/: the filters."""

from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
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
