"""Hold the subscriptions of an unpaid invoice, and release them as soon as it is settled."""

from collections.abc import Collection, Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.holds import Hold, HoldEnd
from masthead.store.audit import trail
from masthead.store.billing import invoices, open_amounts
from masthead.store.engine.interface import Transaction
from masthead.store.holds import records as holds


async def add_to_open(tx: Transaction, account_id: int, id: str, amount: int, *, by: Actor) -> None:
    """Add to what is open of an invoice; negative if it was settled.

    Its holds end when nothing is open any more, and begin again when it is open again. Queries:
    two, and about five if there were holds.
    """
    await open_amounts.add_to_open(tx, account_id, id, amount, by=by)
    known = await holds.list_of_invoice(tx, account_id, id)
    if not known:
        return
    invoice = (await invoices.find_open(tx, account_id, [id]))[id]
    open_holds = [each for each in known if each.is_open]
    if invoice.open_amount <= 0:
        await end_holds(tx, account_id, open_holds, HoldEnd.SETTLED, by=by)
        return
    last = {each.subscription_id: each for each in known}  # the newest one of each
    again = [each for each in last.values() if each.ended_by is HoldEnd.SETTLED]
    still = {*await holds.list_subscriptions_on(tx, account_id, id)} if again else set[str]()
    ids = [each.subscription_id for each in again if each.subscription_id in still]
    await _begin(tx, account_id, ids, id, invoice.number, by=by)


async def hold_invoice(tx: Transaction, account_id: int, id: str, number: str, *, by: Actor) -> int:
    """Hold the subscriptions whose orders are on an invoice; returns how many were not held.

    One that a user has released since a reminder of this invoice is held again.
    """
    known = await holds.list_of_invoice(tx, account_id, id)
    held = {each.subscription_id for each in known if each.is_open}
    ids = [
        each for each in await holds.list_subscriptions_on(tx, account_id, id) if each not in held
    ]
    await _begin(tx, account_id, ids, id, number, by=by)
    return len(ids)


async def _begin(
    tx: Transaction, account_id: int, ids: Sequence[str], invoice_id: str, number: str, *, by: Actor
) -> None:
    if not ids:
        return
    await holds.insert_holds(tx, account_id, ids, invoice_id=invoice_id, by=by)
    entries = [
        NewEntry(EntryType.SUBSCRIPTION_HOLD, each, None, {"invoice": number}) for each in ids
    ]
    await trail.record(tx, account_id, by, entries)


async def end_holds(
    tx: Transaction, account_id: int, ended: Collection[Hold], why: HoldEnd, *, by: Actor
) -> None:
    """End holds that have an invoice."""
    if not ended:
        return
    await holds.end_holds(tx, account_id, [each.id for each in ended], why)
    stopped = {"reminder_stopped": True} if why is HoldEnd.STOPPED else {}
    entries = [
        NewEntry(
            EntryType.SUBSCRIPTION_RELEASE,
            each.subscription_id,
            None,
            {"invoice": each.invoice_number, **stopped},
        )
        for each in ended
    ]
    await trail.record(tx, account_id, by, entries)
