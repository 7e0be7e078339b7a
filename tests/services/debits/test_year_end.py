"""Direct debits over the turn of a year."""

from datetime import date

from masthead.services.background.daily import redo_daily_pass
from masthead.services.debits.book import book_collection
from masthead.services.debits.collect import create_collection
from masthead.services.debits.mandates import add_mandate
from masthead.store.billing.journal import sum_receivables
from tests.conftest import BY, Cast
from tests.support.billing import read_invoice
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.debits import debit_one, list_debits, make_debtor, new_mandate, turn_on_debits
from tests.support.factories import make_subscription


async def owed_on(cast: Cast, day: date) -> int:
    """What payers owed at the end of a day."""
    async with cast.db.read() as db:
        [found] = await sum_receivables(db, cast.account_id, day)
    return found.owed


async def test_what_is_collected_in_january_is_owed_at_the_end_of_december(acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    await redo_daily_pass(acme.db, acme.account_id, date(2026, 12, 28), by=BY)
    invoice = await debit_one(acme, payer)
    [debit] = await list_debits(acme, invoice.id)
    # due on 11 January, a Monday; the notice of five days ends before
    assert (invoice.document.number, debit.collect_date) == ("2026-00001", date(2027, 1, 11))
    await pass_on(acme, "2027-01-08")
    day = date(2027, 1, 11)
    collection = await create_collection(acme.db, acme.account_id, day=day, by=BY)
    await pass_on(acme, str(day))
    assert await book_collection(acme.db, acme.account_id, collection.id, by=BY) == 1
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    assert (
        await owed_on(acme, date(2026, 12, 31)) == await owed_on(acme, date(2027, 1, 10)) == 60_00
    )
    assert await owed_on(acme, day) == 0
    assert await faults(acme) == []


async def test_a_mandate_that_expires_at_the_turn_of_the_year_collects_nothing_after_it(
    acme: Cast,
) -> None:
    await turn_on_debits(acme)
    payers = []
    for number, signed in enumerate((date(2024, 1, 10), date(2024, 1, 11))):
        made = await make_subscription(acme, email=f"payer{number}@example.test")
        payers.append(str(made["subscriber"]["id"]))
        mandate = new_mandate(signed_date=signed)
        await add_mandate(acme.db, acme.account_id, payers[-1], mandate, by=BY)
    await redo_daily_pass(acme.db, acme.account_id, date(2026, 12, 28), by=BY)
    _late, kept = [await debit_one(acme, payer, order_id=payer) for payer in payers]
    await pass_on(acme, "2027-01-08")
    day = date(2027, 1, 11)  # 36 months after the second one was signed
    collection = await create_collection(acme.db, acme.account_id, day=day, by=BY)
    assert (collection.debits, collection.total) == (1, 60_00)
    [debit] = await list_debits(acme, kept.id)
    assert debit.collection_id == collection.id
    assert await faults(acme) == []
