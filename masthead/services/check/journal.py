"""Check that the journal, what is open, and what payments have settled agree."""

from collections import Counter
from collections.abc import AsyncIterator
from itertools import groupby

from masthead.store.billing.owed import sum_open
from masthead.store.billing.write_offs import list_write_offs
from masthead.store.check import journal as store
from masthead.store.engine.interface import Connection


async def check_journal(db: Connection, account_id: int) -> AsyncIterator[tuple[str, str]]:
    """Broken invariants, each with the number of an invoice or a currency.

    The database adds up sales and payments. Write-offs, of which there are few, are shared out by
    rate as in the journal, those of a month at once. Queries: four, and one for each month with a
    write-off.
    """
    owed = Counter(await store.sum_sales_and_payments(db, account_id))
    days = await store.list_write_off_days(db, account_id)
    for _month, group in groupby(days, key=lambda day: (day.year, day.month)):
        of_month = list(group)
        for lost in await list_write_offs(db, account_id, of_month[0], of_month[-1]):
            entered = sum(each.amount for each in lost.entries)
            owed[lost.currency] -= entered
            if entered != lost.amount:
                yield "the journal has every cent of a write-off", lost.document
    left = await sum_open(db, account_id)
    for currency in sorted(owed.keys() | left.keys()):
        if owed[currency] != left.get(currency, 0):
            yield "the receivables of the journal are what is open", currency
    for currency in await store.list_unequal_payments(db, account_id):
        yield "payments are what they have settled and what is left of them", currency
