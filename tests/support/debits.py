"""Accounts that collect by direct debit."""

from datetime import date
from typing import Any

from masthead.model.debits.mandates import Mandate, NewMandate
from masthead.model.debits.rules import Collection, Debit
from masthead.services.background.daily import redo_daily_pass
from masthead.services.debits.collect import create_collection
from masthead.services.debits.mandates import add_mandate
from masthead.services.debits.settings import save_settings
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.debits import collections, mandates, records as debits
from tests.conftest import BY, Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.days import pass_on
from tests.support.factories import make_subscription

CREDITOR_ID = "DE98ZZZ09999999999"
IBAN = "DE02120300000000202051"
SIGNED = date(2026, 1, 1)
FIRST_DAY = date(2026, 1, 5)  # of the account
DUE = "2026-03-02"  # a Monday long after all notices


async def turn_on_debits(cast: Cast, **fields: Any) -> None:
    """Let an account of `FIRST_DAY` collect by direct debit, with a notice of five days."""
    await redo_daily_pass(cast.db, cast.account_id, FIRST_DAY, by=BY)
    await turn_on_debits_today(cast, **fields)


async def turn_on_debits_today(cast: Cast, **fields: Any) -> None:
    """Let an account collect by direct debit from its own day on."""
    await turn_on_billing(cast, **fields)
    await save_settings(cast.db, cast.account_id, creditor_id=CREDITOR_ID, notice_days=5, by=BY)


def new_mandate(**fields: Any) -> NewMandate:
    """A mandate as it is typed."""
    return NewMandate(**{"iban": IBAN, "holder": "Ann Müller", "signed_date": SIGNED, **fields})


async def make_debtor(cast: Cast, **fields: Any) -> str:
    """Add a subscriber with a mandate; returns their id."""
    made = await make_subscription(cast, **fields)
    id = str(made["subscriber"]["id"])
    await add_mandate(cast.db, cast.account_id, id, new_mandate(), by=BY)
    return id


async def debit_one(cast: Cast, payer_id: str, **fields: Any) -> StoredInvoice:
    """The invoice of an order that is collected by direct debit."""
    return await bill_one(cast, subscriber_id=payer_id, is_debited=True, **fields)


async def collect_all(cast: Cast) -> Collection:
    """Collect everything that is due on a late day."""
    await pass_on(cast, "2026-02-27")
    return await create_collection(cast.db, cast.account_id, day=date.fromisoformat(DUE), by=BY)


async def list_debits(cast: Cast, invoice_id: str) -> list[Debit]:
    """The debits of an invoice, newest first."""
    async with cast.db.read() as db:
        return await debits.list_of_invoice(db, cast.account_id, invoice_id)


async def list_mandates(cast: Cast, payer_id: str) -> list[Mandate]:
    """The mandates of a payer, newest first."""
    async with cast.db.read() as db:
        return await mandates.list_of_payer(db, cast.account_id, payer_id)


async def read_file(cast: Cast, id: str) -> bytes:
    """The file of a collection."""
    async with cast.db.read() as db:
        return await collections.get_file(db, cast.account_id, id)
