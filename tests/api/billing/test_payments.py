"""Payments of invoices, and the right to bill."""

from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.expect import refused
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


async def test_each_fault_of_the_invoices_of_a_payment_is_named(acme: Cast) -> None:
    parts: list[object] = [{"amount": "5"}, {"number": "R-1", "amount": "-5", "sum": 5}, "R-2"]
    answer = await acme.post("/v1/payments/", {"amount": "60", "invoices": parts})
    assert answer.status_code == 400
    assert [(each["field"], each["code"]) for each in answer.json()["errors"]] == [
        ("invoices[0].number", "validation_error"),
        ("invoices[1].sum", "unknown_field"),
        ("invoices[1].amount", "validation_error"),
        ("invoices[2]", "validation_error"),
    ]
    assert answer.json()["message"].startswith("In `invoices[0]`: `number` is required")


async def test_a_payment_says_who_paid_or_what_it_settles(acme: Cast) -> None:
    answer = await acme.post("/v1/payments/", {"amount": "60"})
    refused(answer, "validation_error")
    assert answer.json()["field"] == "payer"
    assert "without `invoices`, a payment needs it" in answer.json()["message"]


async def test_a_credit_note_is_not_paid(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await acme.post(
        "/v1/payments/", {"amount": "60", "invoices": [{"number": invoice.document.number}]}
    )
    note = made(await acme.post(f"/v1/invoices/{invoice.id}/credit/", {"reason": "Moved"}))
    body = {"amount": "5", "invoices": [{"number": note["number"]}]}
    answer = await acme.post("/v1/payments/", body)
    refused(answer, "not_open")
    assert "is a credit note" in answer.json()["message"]
    listed = (await acme.get("/v1/payments/")).json()["items"]
    assert [each["amount"] for each in listed] == ["60.00"]


async def test_the_number_of_an_invoice_is_read_like_other_texts(acme: Cast) -> None:
    await turn_on_billing(acme)
    number = (await bill_one(acme)).document.number
    parts = [{"number": f" {number}\u200b", "amount": None}, {"number": "R-0"}]
    body = {"amount": "60", "invoices": parts}
    answer = await acme.post("/v1/payments/", body)
    refused(answer, "unknown_invoice")
    assert answer.json()["field"] == "invoices[1].number"
    made(await acme.post("/v1/payments/", {**body, "invoices": parts[:1]}))
