"""Payments of invoices, and the right to bill."""

from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import made


async def test_an_invoice_is_paid_and_open_again_when_the_payment_is_undone(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)

    async def owed() -> tuple[str, str]:
        found = (await acme.get(f"/v1/invoices/{invoice.id}/")).json()
        return found["number"], found["open_amount"]

    number = invoice.document.number
    assert await owed() == (number, "60.00")
    body = {"amount": "60", "invoices": [{"number": number}]}
    payment = made(await acme.post("/v1/payments/", body))
    assert await owed() == (number, "0.00")
    undone = (await acme.post(f"/v1/payments/{payment['id']}/undo/")).json()
    assert undone["id"] == payment["id"]
    assert undone == (await acme.get(f"/v1/payments/{payment['id']}/")).json()
    assert undone != payment
    assert await owed() == (number, "60.00")
