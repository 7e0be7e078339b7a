"""Returns that are undone by their payment, as by their bank line; and what cannot be a return."""

from datetime import timedelta

import pytest

from masthead.model.billing.documents import DocumentKind
from masthead.model.debits.rules import DebitStatus
from masthead.model.errors import Invalid
from masthead.services.billing.bank_lines import confirm_return, confirm_safe, reopen_line
from masthead.services.billing.returned import propose_returned
from masthead.services.billing.undo import undo_payment
from tests.conftest import BY, Cast
from tests.services.debits.test_returns import collect_and_return
from tests.support.bank import DAY, bank_line, import_lines, list_lines
from tests.support.billing import (
    bill_one,
    newest_invoices,
    payment_ids,
    read_invoice,
    turn_on_billing,
)
from tests.support.checks import faults
from tests.support.debits import list_debits, list_mandates


async def test_the_undo_of_its_payment_undoes_the_return(acme: Cast) -> None:
    payer, invoice_id, line_id = await collect_and_return(acme, "AC04", charges_bank_fee=True)
    [paid], [back] = await payment_ids(acme, sign=1), await payment_ids(acme, sign=-1)
    await undo_payment(acme.db, acme.account_id, back, by=BY)
    assert [each.open_amount for each in await newest_invoices(acme)] == [0, 0]
    [debit] = await list_debits(acme, invoice_id)
    assert (debit.status, debit.return_reason) == (DebitStatus.PAID, "")
    [mandate] = await list_mandates(acme, payer)
    assert mandate.revoked_date is None
    assert [each.id for each in await list_lines(acme, status="open")] == [line_id]
    await confirm_return(acme.db, acme.account_id, line_id, paid, by=BY)
    fees = [each for each in await newest_invoices(acme) if each.kind is DocumentKind.FEE]
    assert [each.open_amount for each in fees] == [3_00, 0]
    assert (await read_invoice(acme, invoice_id)).open_amount == 60_00
    assert await faults(acme) == []
    await reopen_line(acme.db, acme.account_id, line_id, by=BY)
    assert [each.open_amount for each in await newest_invoices(acme)] == [0, 0, 0]
    assert await faults(acme) == []


@pytest.mark.parametrize(
    "fields, problem",
    [
        ({"amount": -5_00}, "The bank took back €5.00, but this payment is €60.00"),
        ({"amount": -90_01}, "The bank took back €90.01"),
        ({"amount": -65_00, "original_amount": 61_00}, "The bank took back €65.00"),
        ({"amount": -60_00, "booking_date": DAY - timedelta(days=1)}, "after the return"),
    ],
)
async def test_a_payment_comes_back_whole_and_after_it_came(
    acme: Cast, fields: dict[str, object], problem: str
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line(text=invoice.document.number, reference="E2E-1"))
    [line] = await list_lines(acme)
    await confirm_safe(acme.db, acme.account_id, [line.id], by=BY)
    back = {"reference": "E2E-1", "return_reason": "AM04", **fields}
    await import_lines(acme, bank_line(**back))  # type: ignore[arg-type]
    [line] = await list_lines(acme, status="open")
    async with acme.db.read() as db:
        assert await propose_returned(db, acme.account_id, line) == []
    [paid] = await payment_ids(acme, sign=1)
    with pytest.raises(Invalid, match=problem):
        await confirm_return(acme.db, acme.account_id, line.id, paid, by=BY)
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
