"""What is collected once only: an invoice, and by a mandate for one debit."""

from datetime import date

import pytest

from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.services.billing.credit import correct_invoice
from masthead.services.billing.undo import undo_payment
from masthead.services.debits.collect import create_collections
from masthead.services.debits.mandates import add_mandate
from masthead.services.debits.mark import mark_invoice, unmark_invoice
from masthead.store.debits import records as store
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.debits.test_returns import collect_and_return
from tests.support.billing import bill_one, payment_ids, read_invoice
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.debits import (
    DUE,
    collect_all,
    debit_one,
    list_debits,
    list_mandates,
    new_mandate,
    turn_on_debits,
)
from tests.support.factories import make_subscription


async def make_debtor_once(cast: Cast) -> str:
    """Add a subscriber with a mandate for one debit; returns their id."""
    payer = str((await make_subscription(cast))["subscriber"]["id"])
    once = new_mandate(is_recurring=False)
    await add_mandate(cast.db, cast.account_id, payer, once, by=BY)
    return payer


async def test_a_mandate_for_one_debit_is_for_one_invoice(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor_once(acme)
    first = await debit_one(acme, payer)
    with pytest.raises(Invalid, match="no mandate that can be used"):
        await debit_one(acme, payer)
    other = await bill_one(acme, subscriber_id=payer)
    day = date(2026, 1, 5)
    with pytest.raises(Invalid, match="no mandate that can be used"):
        await mark_invoice(acme.db, acme.account_id, other.id, notified=day, by=BY)
    collection = await collect_all(acme)
    assert (collection.debits, collection.total) == (1, first.document.total)


async def test_of_two_invoices_that_wait_for_it_the_first_is_collected(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor_once(acme)
    first, second = await debit_one(acme, payer), await bill_one(acme, subscriber_id=payer)
    [mandate] = await list_mandates(acme, payer)

    async def wait(tx: Transaction) -> None:  # as a version before could leave them
        row = (second.id, mandate.id, date(2026, 1, 19))
        await store.insert_debits(tx, acme.account_id, [row], by=BY)

    await acme.db.write(wait, account_id=acme.account_id)
    [debit] = await list_debits(acme, second.id)
    await pass_on(acme, "2026-02-27")
    with pytest.raises(Invalid, match="another invoice waits for it"):
        await create_collections(
            acme.db, acme.account_id, day=date.fromisoformat(DUE), debit_ids=[debit.id], by=BY
        )
    collection = await collect_all(acme)
    assert (collection.debits, collection.total) == (1, first.document.total)


async def test_an_invoice_that_replaces_its_own_keeps_the_mandate(acme: Cast) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor_once(acme))
    made = await correct_invoice(
        acme.db, acme.account_id, invoice.id, BillingTerms(), reason="address", by=BY
    )
    [new] = made.invoice_ids
    assert (await read_invoice(acme, new)).document.debit is not None
    collection = await collect_all(acme)
    assert (collection.debits, collection.total) == (1, invoice.document.total)


async def test_a_payment_by_debit_is_not_undone_while_the_invoice_waits_again(
    acme: Cast,
) -> None:
    _payer, invoice_id, _line_id = await collect_and_return(acme, "AM04")
    number = (await read_invoice(acme, invoice_id)).document.number
    day = date(2026, 3, 5)
    await mark_invoice(acme.db, acme.account_id, invoice_id, notified=day, by=BY)
    [back], [paid] = await payment_ids(acme, sign=-1), await payment_ids(acme, sign=1)
    await undo_payment(acme.db, acme.account_id, back, by=BY)
    with pytest.raises(Invalid, match=f"{number} is marked for direct debit again") as refusal:
        await undo_payment(acme.db, acme.account_id, paid, by=BY)
    assert refusal.value.code == "changed_meanwhile"
    await unmark_invoice(acme.db, acme.account_id, invoice_id, by=BY)
    await undo_payment(acme.db, acme.account_id, paid, by=BY)
    assert (await read_invoice(acme, invoice_id)).open_amount == 60_00
    assert await faults(acme) == []
