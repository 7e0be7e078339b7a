"""List the refunds of a subscription, and delete one whose money was never transferred."""

from collections.abc import Collection, Sequence

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid, NotFound
from masthead.model.subscriptions.recorded_refunds import RefundedPart, RefundOfOrders
from masthead.model.subscriptions.stored import StoredPeriod
from masthead.model.translations import format_day
from masthead.model.types.money import money_text
from masthead.services.subscriptions.bundles import Together, get_bundle
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.transactions import in_transaction
from masthead.store.audit import trail
from masthead.store.billing import invoices
from masthead.store.billing.orders import find_invoices
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.read_model import subscription_json
from masthead.store.revenue.statements import find_latest_day
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import periods, records as subscriptions, refunds, skips


async def list_recorded(db: Connection, account_id: int, id: str) -> list[RefundOfOrders]:
    """The refunds of a subscription, and of those ordered together with it, by date.

    Queries: eight at most. Raises: NotFound.
    """
    bundle = await get_bundle(db, account_id, id)
    every = bundle.choose(Together.ALL, {each.status for each in bundle.others})
    listed = await periods.list_periods(db, account_id, every)
    orders = {row.id: row for rows in listed.values() for row in rows}
    made = await refunds.list_refunds(db, account_id, list(orders))
    if not made:
        return []
    billed = await find_invoices(db, account_id, [each.period_id for each in made])
    ids = {invoice_id for invoice_id in billed.values() if invoice_id}
    numbers = {
        each.id: each.document.number
        for each in await invoices.list_invoices(db, account_id, sorted(ids))
    }
    skipped = {each.refund_id for each in await skips.list_skipped(db, account_id, every)}
    latest = await find_latest_day(db, account_id)
    return [
        RefundOfOrders(
            parts=[_part(each, orders[each.period_id]) for each in together],
            refund_date=together[0].refund_date,
            reason=together[0].reason,
            invoice=next(
                (numbers[of] for each in together if (of := billed.get(each.period_id))), ""
            ),
            is_of_skipped_issue=any(each.id in skipped for each in together),
            statement_date=latest if latest and latest >= together[0].refund_date else None,
        )
        for together in _group(made, orders, skipped)
    ]


def _group(
    made: Sequence[refunds.RecordedRefund],
    orders: dict[int, StoredPeriod],
    skipped: Collection[str | None],
) -> list[list[refunds.RecordedRefund]]:
    """Refunds that were recorded together, in one currency; each of a skipped issue is alone."""
    found: dict[object, list[refunds.RecordedRefund]] = {}
    for each in made:
        alone = each.id if each.id in skipped else ""
        key = (each.created_at, each.refund_date, orders[each.period_id].currency, alone)
        found.setdefault(key, []).append(each)
    return list(found.values())


def _part(refund: refunds.RecordedRefund, order: StoredPeriod) -> RefundedPart:
    return RefundedPart(
        id=refund.id,
        subscription_id=order.subscription_id,
        period_id=order.id,
        order_id=order.order_id,
        currency=order.currency,
        amount=refund.amount,
    )


@in_transaction
async def delete_refund(
    tx: Transaction, account_id: int, id: str, refund_id: str, *, by: Actor
) -> RefundOfOrders:
    """Delete a refund, with what was recorded together with it; returns it.

    id: of a subscription that it is listed for. Raises: NotFound, Erased, Invalid.
    """
    account, _row = await lock_subscription(tx, account_id, id)
    listed = await list_recorded(tx, account_id, id)
    refund = next((each for each in listed if each.id == refund_id), None)
    if refund is None:
        raise NotFound("refund", refund_id)
    if not refund.can_be_deleted:
        day = format_day(refund.statement_date) if refund.statement_date else ""
        raise Invalid(refund.why_not(day))
    ids = sorted({each.subscription_id for each in refund.parts})
    listed_periods = await periods.list_periods(tx, account_id, ids)
    before = {row.id: row.refunded for rows in listed_periods.values() for row in rows}
    entries = []
    for part in refund.parts:
        await refunds.delete_refund(tx, account_id, part.id)
        was = before[part.period_id]
        before[part.period_id] = was - part.amount
        entries.append(_entry(refund, part, was))
    await subscription_json.mark_outdated(tx, account_id, ids)
    rows = await subscriptions.find_rows(tx, account_id, ids)
    subscribers = sorted({row.subscriber_id for row in rows.values()})
    await subscriber_store.update_stats(tx, account_id, subscribers, currency=account.currency)
    await trail.record(tx, account_id, by, entries)
    return refund


def _entry(refund: RefundOfOrders, part: RefundedPart, was: int) -> NewEntry:
    """The audit entry of an order. was: what was refunded of it before, in minor units."""
    after = {
        "refunded": money_text(was - part.amount, part.currency),
        "amount": money_text(part.amount, part.currency),
        "currency": part.currency,
        "order_id": part.order_id,
        "refund_date": refund.refund_date,
    }
    before = {"refunded": money_text(was, part.currency)}
    return NewEntry(EntryType.SUBSCRIPTION_DELETE_REFUND, part.subscription_id, before, after)
