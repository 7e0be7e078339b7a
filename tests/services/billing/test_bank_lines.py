"""Imported statements: nothing is doubled, and a confirmed line is a payment."""

from collections.abc import Sequence
from typing import Any

import pytest

from masthead.model.billing.matching import Proposal
from masthead.model.billing.statements import BankLineStatus, StoredLine
from masthead.model.errors import Invalid, NotFound
from masthead.services.billing import bank_lines as service
from masthead.services.billing.matching import propose_for
from masthead.services.billing.returned import propose_returned
from masthead.services.billing.undo import undo_payment
from masthead.services.privacy.erase import erase_subscriber
from masthead.store.billing import payments
from masthead.store.billing.invoices import StoredInvoice
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.bank import bank_line, import_lines, import_sample, list_lines
from tests.support.billing import bill_one, owed_by_customer, read_invoice, turn_on_billing
from tests.support.factories import PLACEHOLDER_DOMAIN

ANNA = {"first_name": "Anna", "last_name": "Müller", "email": "anna@example.org"}
BERND = {"first_name": "Bernd", "last_name": "Özil", "email": "bernd@example.org"}


async def proposals(cast: Cast, line: StoredLine) -> Sequence[Proposal]:
    """The proposals for a line."""
    async with cast.db.read() as db:
        return (await propose_for(db, cast.account_id, [line])).get(line.id, [])


async def open_amounts(cast: Cast, *invoices: StoredInvoice) -> list[int]:
    """What is open of invoices now."""
    return [(await read_invoice(cast, each.id)).open_amount for each in invoices]


async def test_a_statement_imported_twice_doubles_nothing(acme: Cast) -> None:
    first = await import_sample(acme, "camt_02.xml")
    assert (first.lines, first.new, first.known, first.returns, first.pending) == (4, 4, 0, 1, 1)
    again = await import_sample(acme, "camt_02.xml")
    assert (again.is_known, again.new, again.statements) == (True, 0, first.statements)
    assert len(await list_lines(acme)) == 4


async def test_overlapping_statements_of_any_format_double_nothing(acme: Cast) -> None:
    await import_sample(acme, "camt_02.xml")
    other = await import_sample(acme, "mt940_german.sta")
    assert (other.new, other.known) == (1, 2)
    assert len(await list_lines(acme)) == 5
    await import_lines(acme, bank_line(100), bank_line(200))
    overlapping = await import_lines(acme, bank_line(200), bank_line(200), bank_line(300))
    assert (overlapping.new, overlapping.known) == (2, 1)


async def test_payments_to_others_are_not_stored(acme: Cast) -> None:
    done = await import_lines(acme, bank_line(-5000, name="Gehalt"), bank_line(100))
    assert (done.lines, done.new, done.outgoing) == (2, 1, 1)
    [line] = await list_lines(acme)
    assert line.amount == 100


async def test_ibans_are_stored_masked(acme: Cast) -> None:
    await import_sample(acme, "camt_02.xml")
    [first, *_others] = await list_lines(acme)
    assert first.iban == "DE89…3000"
    values = {"account_id": acme.account_id}
    for table in ("bank_line", "bank_statement", "audit"):
        sql = f"SELECT * FROM {table} WHERE account_id = :account_id"  # noqa: S608 - a table above
        text = str([dict(row) for row in await acme.db.fetch_all(sql, values)])
        assert "0532013000" not in text
        assert ("Müller" in text) is (table == "bank_line")


async def test_a_confirmed_proposal_pays_the_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    await import_lines(acme, bank_line(text=f"Re {invoice.document.number}", name="A. B."))
    [line] = await list_lines(acme)
    [best] = await proposals(acme, line)
    assert best.is_safe
    id = await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    assert await open_amounts(acme, invoice) == [0]
    [line] = await list_lines(acme, status="matched")
    assert line.payment_id == id
    async with acme.db.read() as db:
        payment = await payments.get_payment(db, acme.account_id, id)
    assert (payment.amount, payment.payer_id, payment.payment_date) == (
        6000,
        invoice.payer_id,
        line.booking_date,
    )


async def test_the_smallest_payment_has_proposals(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line(1, text=f"Re {invoice.document.number}"))
    [line] = await list_lines(acme)
    [best] = await proposals(acme, line)
    assert best.settled == {invoice.id: 1}


async def test_a_line_is_confirmed_once(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line())
    [line] = await list_lines(acme)
    await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    with pytest.raises(Invalid, match="was recorded before") as caught:
        await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    assert caught.value.code == "changed_meanwhile"
    with pytest.raises(Invalid, match="was recorded before"):
        await service.leave_out_line(acme.db, acme.account_id, line.id, reason="x", by=BY)


async def test_a_line_does_not_pay_an_invoice_that_another_payment_settled(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line(), bank_line(name="A. B."))
    first, second = await list_lines(acme)
    await service.confirm_line(acme.db, acme.account_id, first.id, [invoice.id], by=BY)
    with pytest.raises(Invalid, match="is settled already") as refusal:
        await service.confirm_line(acme.db, acme.account_id, second.id, [invoice.id], by=BY)
    assert (refusal.value.code, refusal.value.field) == ("changed_meanwhile", "invoices")
    assert len(await list_lines(acme, status="open")) == 1


async def test_safe_proposals_are_confirmed_together(acme: Cast) -> None:
    await turn_on_billing(acme)
    anna = await bill_one(acme, order_id="A", **ANNA)
    bernd = await bill_one(acme, order_id="B", price="48.00", **BERND)
    await import_lines(
        acme,
        bank_line(text=anna.document.number),
        bank_line(text=f"{anna.document.number} nochmal"),
        bank_line(4800, name="OEZIL, BERND"),
        bank_line(100, text="unknown"),
    )
    ids = [each.id for each in await list_lines(acme)]
    done = await service.confirm_safe(acme.db, acme.account_id, ids, by=BY)
    assert (done.count, done.left) == (2, 2)
    assert await open_amounts(acme, anna, bernd) == [0, 0]
    again = await service.confirm_safe(acme.db, acme.account_id, ids, by=BY)
    assert again.count == 0
    assert len(await list_lines(acme, status="open")) == 2


async def test_two_equal_amounts_without_a_reference_stay_open(acme: Cast) -> None:
    await turn_on_billing(acme)
    anna = await bill_one(acme, order_id="A", **ANNA)
    bernd = await bill_one(acme, order_id="B", **BERND)
    await import_lines(acme, bank_line(name="Anna Müller"))
    [line] = await list_lines(acme)
    found = await proposals(acme, line)
    assert {tuple(each.settled) for each in found} == {(anna.id,), (bernd.id,)}
    done = await service.confirm_safe(acme.db, acme.account_id, [line.id], by=BY)
    assert done.count == 0
    assert await open_amounts(acme, anna, bernd) == [6000, 6000]


async def test_who_paid_before_is_known_by_account_and_name(acme: Cast) -> None:
    await turn_on_billing(acme)
    anna = await bill_one(acme, order_id="A", **ANNA)
    account: dict[str, Any] = {"iban": "DE89370400440532013000", "name": "Hans Beispiel"}
    await import_lines(acme, bank_line(text=anna.document.number, **account))
    [line] = await list_lines(acme)
    await service.confirm_line(acme.db, acme.account_id, line.id, [anna.id], by=BY)
    later = await bill_one(acme, order_id="C", price="33.00", **ANNA)
    await import_lines(acme, bank_line(3300, **account))
    [line] = await list_lines(acme, status="open")
    [best] = await proposals(acme, line)
    assert (best.settled, best.is_safe) == ({later.id: 3300}, True)


async def test_parts_overpayments_and_several_invoices(acme: Cast) -> None:
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A", due_days=3, **ANNA)
    second = await bill_one(acme, order_id="B", due_days=30, **ANNA)
    await import_lines(acme, bank_line(9000), bank_line(9000))
    one, two = await list_lines(acme)
    third = await bill_one(acme, order_id="C", due_days=40, **ANNA)
    all_three = [third.id, second.id, first.id]
    await service.confirm_line(acme.db, acme.account_id, one.id, all_three, by=BY)
    assert await open_amounts(acme, first, second, third) == [0, 3000, 6000]
    id = await service.confirm_line(acme.db, acme.account_id, two.id, [second.id], by=BY)
    async with acme.db.read() as db:
        assert (await payments.get_payment(db, acme.account_id, id)).unused_amount == 6000


async def test_undo_opens_the_line_and_the_invoice(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line())
    [line] = await list_lines(acme)
    await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    [line] = await list_lines(acme, status="open")
    assert line.payment_id is None
    assert await open_amounts(acme, invoice) == [6000]
    id = await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    await undo_payment(acme.db, acme.account_id, id, by=BY)  # on the page of payments
    assert [each.status for each in await list_lines(acme)] == [BankLineStatus.TO_DO]
    with pytest.raises(Invalid, match="open already"):
        await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    other = await bill_one(acme, order_id="B", price="40.00")
    twice = [other.id, other.id]  # as a form can be sent
    await service.confirm_line(acme.db, acme.account_id, line.id, twice, by=BY)
    assert await open_amounts(acme, invoice, other) == [6000, 0]


async def test_a_line_is_left_out_with_a_reason(acme: Cast) -> None:
    await import_lines(acme, bank_line())
    [line] = await list_lines(acme)
    await service.leave_out_line(acme.db, acme.account_id, line.id, reason="Tax refund", by=BY)
    [line] = await list_lines(acme, status="ignored")
    assert line.reason == "Tax refund"
    await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    assert len(await list_lines(acme, status="open")) == 1


async def test_an_invoice_that_is_settled_meanwhile_is_refused(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    await import_lines(acme, bank_line(), bank_line())
    one, two = await list_lines(acme)
    await service.confirm_line(acme.db, acme.account_id, one.id, [invoice.id], by=BY)
    with pytest.raises(Invalid, match="is settled already"):
        await service.confirm_line(acme.db, acme.account_id, two.id, [invoice.id], by=BY)
    with pytest.raises(Invalid, match="Choose an invoice"):
        await service.confirm_line(acme.db, acme.account_id, two.id, ["none"], by=BY)


async def test_a_return_opens_the_item_on_its_day_and_can_be_undone(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    number = invoice.document.number
    await import_lines(acme, bank_line(text=number, reference="E2E-1"))
    [line] = await list_lines(acme)
    paid = await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    came_back = bank_line(-6500, return_reason="AC04", original_amount=6000, reference="E2E-1")
    await import_lines(acme, came_back)
    [line] = await list_lines(acme, status="open")
    async with acme.db.read() as db:
        [found] = await propose_returned(db, acme.account_id, line)
    assert (found.id, found.is_named, found.number) == (paid, True, number)
    back = await service.confirm_return(acme.db, acme.account_id, line.id, paid, by=BY)
    assert await open_amounts(acme, invoice) == [6000]
    async with acme.db.read() as db:
        first, second = await payments.list_payments(db, acme.account_id, [paid, back])
    assert (first.unused_amount, first.undone_at) == (0, None)
    assert (second.amount, second.payment_date, second.unused_amount) == (
        -6000,
        line.booking_date,
        0,
    )
    with pytest.raises(Invalid, match="was recorded before"):
        await service.confirm_return(acme.db, acme.account_id, line.id, paid, by=BY)
    await import_lines(acme, bank_line(-6000, return_reason="AC04", reference="E2E-2"))
    [second_return] = await list_lines(acme, status="open")
    with pytest.raises(Invalid, match="This line is a return"):
        await service.confirm_line(acme.db, acme.account_id, second_return.id, [invoice.id], by=BY)
    for payment, text in ((paid, "came back before"), (back, "no payment that can come back")):
        with pytest.raises(Invalid, match=text):
            await service.confirm_return(acme.db, acme.account_id, second_return.id, payment, by=BY)
    again = await pay(acme, amount="60.00", invoices=[{"number": number}])
    with pytest.raises(Invalid, match=f"{number} was paid in another way") as refusal:
        await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    assert refusal.value.code == "changed_meanwhile"
    await undo_payment(acme.db, acme.account_id, again.id, by=BY)
    with pytest.raises(Invalid, match="is undone already"):
        await service.confirm_return(acme.db, acme.account_id, second_return.id, again.id, by=BY)
    await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    assert await open_amounts(acme, invoice) == [0]
    async with acme.db.read() as db:
        assert (await payments.get_payment(db, acme.account_id, paid)).unused_amount == 0
        settled = await payments.list_settled_by(db, acme.account_id, [paid])
    assert [each.amount for each in settled] == [6000]


async def test_money_that_the_publisher_paid_back_comes_back_as_a_payment(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    await import_lines(acme, bank_line(10_00, return_reason="AC01", reference="PB-1"))
    [line] = await list_lines(acme)
    assert not line.is_return
    with pytest.raises(Invalid, match="no return"):
        await service.confirm_return(acme.db, acme.account_id, line.id, "none", by=BY)
    payer = invoice.payer_id
    id = await service.confirm_line(acme.db, acme.account_id, line.id, [], payer_id=payer, by=BY)
    async with acme.db.read() as db:
        assert (await payments.get_payment(db, acme.account_id, id)).unused_amount == 10_00
    await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    [line] = await list_lines(acme)
    assert line.status is BankLineStatus.TO_DO


IBAN, OTHER_IBAN = "DE75512108001245126199", "DE12500105170648489890"


async def test_a_return_with_the_fee_of_the_bank_finds_the_payment_from_its_account(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    other = await bill_one(acme, order_id="B", payer_id=invoice.payer_id, price="20.00")
    for paid, iban in ((invoice, IBAN), (other, OTHER_IBAN)):
        amount = paid.document.total
        await import_lines(acme, bank_line(amount, text=paid.document.number, iban=iban))
        [line] = await list_lines(acme, status="open")
        await service.confirm_line(acme.db, acme.account_id, line.id, [paid.id], by=BY)
    [payment] = [each for each in await list_lines(acme) if each.amount == 60_00]

    async def propose(amount: int, **fields: Any) -> list[tuple[str | None, bool]]:
        known = {each.id for each in await list_lines(acme)}
        reference = "X" * (len(known) + 1)  # or it is one that is known
        back = bank_line(amount, return_reason="MD06", reference=reference, **fields)
        await import_lines(acme, back)
        [line] = [each for each in await list_lines(acme) if each.id not in known]
        async with acme.db.read() as db:
            found = await propose_returned(db, acme.account_id, line)
        return [(each.id, each.is_from_account) for each in found]

    assert await propose(-62_50, name="Mann", iban=IBAN) == [(payment.payment_id, True)]
    assert await propose(-60_00, name="Mann", iban=IBAN) == [(payment.payment_id, True)]
    assert await propose(-60_00, name="Anna Mueller") == [(payment.payment_id, False)]
    assert await propose(-62_50, name="Mann", iban=OTHER_IBAN) == [], "20.00 is too far away"
    assert await propose(-59_99, name="Mann", iban=IBAN) == []
    assert await propose(-62_50, name="Mann", original_amount=61_00, iban=IBAN) == []


async def test_a_payment_of_two_payers_that_comes_back_is_owed_by_each_in_the_journal(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    both = [await bill_one(acme, order_id="A", **ANNA), await bill_one(acme, order_id="B", **BERND)]
    await import_lines(acme, bank_line(12000, reference="E2E-1"))
    [line] = await list_lines(acme)
    ids = [each.id for each in both]
    paid = await service.confirm_line(acme.db, acme.account_id, line.id, ids, by=BY)
    assert await owed_by_customer(acme) == {1: 0, 2: 0}
    await import_lines(acme, bank_line(-12000, return_reason="AC04", reference="E2E-1"))
    [line] = await list_lines(acme, status="open")
    await service.confirm_return(acme.db, acme.account_id, line.id, paid, by=BY)
    assert await owed_by_customer(acme) == {1: 6000, 2: 6000}
    await service.reopen_line(acme.db, acme.account_id, line.id, by=BY)
    assert await owed_by_customer(acme) == {1: 0, 2: 0}


async def test_lines_of_other_accounts_are_not_found(acme: Cast, rival: Cast) -> None:
    await import_lines(acme, bank_line())
    [line] = await list_lines(acme)
    with pytest.raises(NotFound):
        await service.leave_out_line(rival.db, rival.account_id, line.id, reason="", by=BY)
    assert not await list_lines(rival)


async def test_an_erasure_removes_who_paid_and_keeps_the_booking(acme: Cast) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    paid = bank_line(text=f"{invoice.document.number} von Anna Müller", name="Anna Müller")
    named = bank_line(100, text="Spende von Anna Müller")
    await import_lines(acme, paid, named)
    line = next(each for each in await list_lines(acme) if each.amount == 6000)
    await service.confirm_line(acme.db, acme.account_id, line.id, [invoice.id], by=BY)
    await erase_subscriber(
        acme.db,
        acme.account_id,
        invoice.payer_id,
        is_cancelling=True,
        placeholder_domain=PLACEHOLDER_DOMAIN,
        by=BY,
    )
    other, line = sorted(await list_lines(acme), key=lambda each: each.amount)
    assert (line.name, line.iban, line.text, line.amount) == ("Erased", "", "", 6000)
    assert other.text == "Spende von [erased]"
    again = await import_lines(acme, paid, named)
    assert (again.new, again.known) == (0, 2)
