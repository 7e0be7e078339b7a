"""The journal is compared with what is open, and payments with what they have settled."""

import inspect
import re
from collections.abc import Iterator

import pytest

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.journal import JournalEntry, Ledger, WriteOff
from masthead.model.validation import decode_input
from masthead.services.billing.balances import pay_back, use_credit, write_off
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payments import ReceivedPayment, create_payment
from masthead.services.billing.undo import undo_payment
from masthead.services.check import journal as check_journal
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast, Client, make_account
from tests.support.billing import bill_one, turn_on_billing
from tests.support.checks import faults, faults_after

WRITE_OFF = "the journal has every cent of a write-off"
RECEIVABLES = "the receivables of the journal are what is open"
SETTLED = "payments are what they have settled and what is left of them"

BREAKS = [
    (RECEIVABLES, "UPDATE settlement SET amount = amount - 1 WHERE {own} AND reason = 'Lost'"),
    (RECEIVABLES, "DELETE FROM settlement WHERE {own} AND reason = 'Lost'"),
    (RECEIVABLES, "UPDATE invoice_line SET vat = vat + 1 WHERE {own} AND invoice_id = :invoice"),
    (RECEIVABLES, "UPDATE payment SET amount = amount + 1 WHERE {own} AND id = :payment"),
    (RECEIVABLES, "UPDATE payment SET currency = 'CHF' WHERE {own} AND id = :payment"),
    (SETTLED, "UPDATE settlement SET amount = amount - 1 WHERE {own} AND payment_id = :payment"),
    (SETTLED, "UPDATE settlement SET payment_id = NULL WHERE {own} AND payment_id = :payment"),
    (SETTLED, "DELETE FROM settlement WHERE {own} AND payback_id IS NOT NULL"),
    (SETTLED, "UPDATE payment SET unused_amount = 1 WHERE {own} AND id = :payment"),
]


@pytest.fixture(scope="module")
async def acme(client: Client, db: Database) -> Cast:
    """An account that these tests share: they roll back what they break."""
    return await make_account(client, db, "Acme")


async def pay(cast: Cast, payer: str, amount: str, number: str) -> str:
    """Record a payment for an invoice; returns its id."""
    body = {"amount": amount, "payer": payer, "invoices": [{"number": number}]}
    decoded = decode_input(PaymentCreate, body)
    return await create_payment(cast.db, cast.account_id, decoded, by=BY)


async def give_back(cast: Cast, payer: str, amount: int) -> None:
    """Pay back credit of a payer."""
    day = (await get_account(cast.db, cast.account_id)).daily_date
    back = ReceivedPayment(payer_id=payer, payment_date=day, amount=amount, currency="EUR")
    await pay_back(cast.db, cast.account_id, back, by=BY)


@pytest.fixture(scope="module")
async def scene(acme: Cast) -> dict[str, str]:
    """An invoice that is paid and credited: its credit pays a part of another, and goes back.

    Of a third one, the payment is undone after its credit went back, and it is written off.
    """
    db, account = acme.db, acme.account_id
    await turn_on_billing(acme)
    first = await bill_one(acme, order_id="A")
    payer = first.payer_id
    payment = await pay(acme, payer, "60.00", first.document.number)
    await credit_invoice(db, account, first.id, amount=50_00, reason="x", by=BY)
    second = await bill_one(acme, order_id="B", payer_id=payer)
    await pay(acme, payer, "20.00", second.document.number)
    await use_credit(db, account, second.id, by=BY)
    await give_back(acme, payer, 10_00)
    third = await bill_one(acme, order_id="C")
    wrong = await pay(acme, third.payer_id, "60.00", third.document.number)
    await credit_invoice(db, account, third.id, amount=40_00, reason="x", by=BY)
    await give_back(acme, third.payer_id, 40_00)
    await undo_payment(db, account, wrong, by=BY)
    await write_off(db, account, third.id, reason="Lost", by=BY)
    return {"invoice": first.id, "payment": payment, "lost": third.document.number}


@pytest.mark.parametrize("invariant, sql", BREAKS)
async def test_a_broken_row_is_found(
    acme: Cast, scene: dict[str, str], invariant: str, sql: str
) -> None:
    used = {name: value for name, value in scene.items() if f":{name}" in sql}
    assert (invariant, "EUR") in await faults_after(acme, sql, **used)


def entries_of_what_was_left(lost: WriteOff) -> Iterator[JournalEntry]:
    """The entries as they once were: more than what credit notes had left was in none."""
    left = sum(each.net + each.vat for each in lost.left)
    yield JournalEntry(
        day=lost.day,
        document=lost.document,
        text=lost.text,
        debit=Ledger.WRITTEN_OFF,
        credit=Ledger.RECEIVABLES,
        amount=min(lost.amount, left),
        currency=lost.currency,
    )


async def test_a_write_off_that_the_journal_loses_is_found(
    acme: Cast, scene: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await faults(acme) == []
    monkeypatch.setattr(WriteOff, "entries", property(entries_of_what_was_left))
    assert await faults(acme) == [(WRITE_OFF, scene["lost"]), (RECEIVABLES, "EUR")]


def test_the_tests_break_every_invariant() -> None:
    yielded = set(re.findall(r'yield "([^"]+)"', inspect.getsource(check_journal)))
    assert yielded == {each[0] for each in BREAKS} | {WRITE_OFF}
