"""Add up documents and payments by day in the background, so that pages read few rows."""

from datetime import timedelta

from msgspec import structs

from masthead.model.clock import now
from masthead.model.ids import first_id_of
from masthead.store import accounts
from masthead.store.billing import daily_sums as store
from masthead.store.engine.interface import Database, Transaction

BATCH = 20_000  # documents or payments that are added up in one transaction
# An id is older than the row that commits it: by the time of a transaction, and by how far the
# clocks of two servers differ
SETTLED = timedelta(hours=1)


async def refresh_daily_sums(
    db: Database, account_id: int, *, batch: int = BATCH, settled: timedelta = SETTLED
) -> int:
    """Add what is settled, older than an hour, to the sums by day; returns how many rows.

    Each batch is a transaction, so that it can stop and go on at any time. If rows appeared among
    those that were added up before, all sums start again. Sandboxes have none: their ids are not in
    the order of time. Queries: about eight, and six for each batch, which takes 5 µs a row.
    """
    before = first_id_of(account_id, now() - settled)
    async with db.read(aside=True) as connection:
        if (await accounts.get_account(connection, account_id)).is_sandbox:
            return 0
        summed = await store.find_summed(connection, account_id)
        counts = await store.count_until(connection, account_id, summed)
    if counts != (summed.invoices, summed.payments):
        await db.write(lambda tx: store.delete_sums(tx, account_id))

    async def work(tx: Transaction) -> int:
        known = await store.lock_summed(tx, account_id)
        last_invoice, invoices = await store.find_batch(
            tx, account_id, "invoice", after=known.last_invoice, before=before, limit=batch
        )
        last_payment, payments = await store.find_batch(
            tx, account_id, "payment", after=known.last_payment, before=before, limit=batch
        )
        if invoices:
            await store.add_rows(
                tx, account_id, store.ADD_INVOICES, after=known.last_invoice, last=last_invoice
            )
        if payments:
            await store.add_rows(
                tx, account_id, store.ADD_PAYMENTS, after=known.last_payment, last=last_payment
            )
        if invoices or payments:
            added = structs.replace(
                known,
                last_invoice=last_invoice,
                invoices=known.invoices + invoices,
                last_payment=last_payment,
                payments=known.payments + payments,
            )
            await store.update_summed(tx, account_id, added)
        return invoices + payments

    total = 0
    while added := await db.write(work):
        total += added
    return total
