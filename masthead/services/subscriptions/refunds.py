"""Refund orders: the rules, the rows and what depends on them."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.subscriptions.refunds import (
    PaidOrder,
    RefundCreate,
    RefundResource,
    check_refund,
    check_refund_date,
    days_used,
    find_order,
)
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus
from masthead.model.types.money import minor_units, money_in_words, money_text
from masthead.services.billing.credit import credit_refunds
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.subscriptions.records import insert_refunds
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.orders import find_invoices
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import (
    periods,
    records as subscriptions,
    refunds as store,
    subscription_copies,
)


class Refund(Struct, frozen=True, kw_only=True):
    """Refunds to record. amounts: by id of the period, in minor units, more than nothing each.

    field: the field of each amount, with `{period}` for the id of its period.
    """

    amounts: Mapping[int, int]
    day: date
    reason: str = ""
    field: str = "amount_{period}"


@in_transaction
async def refund_order(
    tx: Transaction,
    account_id: int,
    id: str,
    refund: Refund,
    *,
    also: Sequence[str] = (),
    seen: Mapping[int, int],
    by: Actor,
) -> None:
    """Record refunds of a subscription's orders, without cancelling it.

    also: the other subscriptions of its group, whose orders the amounts may be of.
    seen: what had been refunded of each period when the form was opened. If that has changed since
    then, nothing is saved. Raises: NotFound, Invalid.
    """
    account, _row = await lock_subscription(tx, account_id, id)
    ids = [id, *also]
    rows = await subscriptions.find_rows(tx, account_id, ids)
    owned = await list_paid_orders(tx, account_id, ids, day=account.daily_date)
    known = {order.period_id: order for orders in owned.values() for order in orders}
    for period_id, was in seen.items():
        order = known.get(period_id)
        if order is not None and order.refunded != was:
            raise Invalid(
                _(
                    "Another refund of order {order} was recorded since you opened this page. "
                    "{refunded} are refunded now. Check whether yours is still due, "
                    "and send the form again if it is."
                ).format(
                    order=order.order_id, refunded=money_in_words(order.refunded, order.currency)
                ),
                code=CHANGED_MEANWHILE,
            )
    await write_refunds(tx, account, list(rows.values()), list(known.values()), refund, by=by)


@in_transaction
async def create_refund(
    tx: Transaction, account_id: int, id: str, body: RefundCreate, *, by: Actor
) -> list[RefundResource]:
    """Record a refund that a program sends; returns all refunds of the subscription.

    Raises: NotFound, Invalid, also `unknown_order` and `refund_too_high`.
    """
    account, row = await lock_subscription(tx, account_id, id)
    orders = (await list_paid_orders(tx, account_id, [id], day=account.daily_date))[id]
    order = find_order(orders, body.order_id)
    refund = Refund(
        amounts={order.period_id: minor_units("amount", body.amount, order.currency)},
        day=body.refund_date or account.daily_date,
        reason=body.reason or "",
        field="amount",
    )
    await write_refunds(tx, account, [row], orders, refund, by=by)
    return await list_refunds(tx, account_id, id, day=account.daily_date)


async def list_refunds(
    db: Connection, account_id: int, id: str, *, day: date
) -> list[RefundResource]:
    """The refunds of a subscription, by date. day: today. Queries: three. Raises: NotFound."""
    orders = (await list_paid_orders(db, account_id, [id], day=day)).get(id)
    if orders is None:
        raise NotFound("subscription", id)
    by_period = {order.period_id: order for order in orders}
    recorded = await store.list_refunds(db, account_id, list(by_period))
    return [
        RefundResource(
            order_id=by_period[each.period_id].order_id,
            amount=money_text(each.amount, by_period[each.period_id].currency),
            currency=by_period[each.period_id].currency,
            refund_date=each.refund_date,
            reason=each.reason,
        )
        for each in recorded
    ]


async def list_paid_orders(
    db: Connection, account_id: int, ids: Sequence[str], *, day: date
) -> dict[str, list[PaidOrder]]:
    """The orders of subscriptions, oldest first, by subscription: what was paid, what is over.

    day: today, for memberships. Queries: two.
    """
    sent = await subscription_copies.count_by_period(db, account_id, ids, CopyStatus.SENT)
    listed = await periods.list_periods(db, account_id, ids)
    return {id: [_paid_order(row, sent, day) for row in rows] for id, rows in listed.items()}


def _paid_order(row: StoredPeriod, sent: Mapping[int, int], day: date) -> PaidOrder:
    """The order of a period. sent: how many copies were sent, by period."""
    if row.period_start is None or row.period_end is None:
        units, used = row.paid_issues, sent.get(row.id, 0)
    else:
        units, used = days_used(row.period_start, row.period_end, day)
    return PaidOrder(
        subscription_id=row.subscription_id,
        period_id=row.id,
        order_id=row.order_id,
        order_date=row.order_date,
        currency=row.currency,
        price=row.price,
        refunded=row.refunded,
        units=units,
        used=used,
        is_membership=row.period_end is not None,
    )


async def write_refunds(
    tx: Transaction,
    account: Account,
    rows: Sequence[StoredSubscription],
    orders: Sequence[PaidOrder],
    refund: Refund,
    *,
    by: Actor,
) -> list[str]:
    """Record refunds in a transaction that has locked the account; returns their ids.

    Orders that are on an invoice get a credit note, and less is owed for them.
    rows: the subscriptions. orders: all of their orders. Raises: NotFound, Invalid.
    """
    known = {order.period_id: order for order in orders}
    for period_id, amount in refund.amounts.items():
        if period_id not in known:
            raise NotFound("order", period_id)
        _check(known[period_id], amount, refund, today=account.daily_date)
    if not refund.amounts:
        return []
    refunded: list[Row] = [
        {
            "id": period_id,
            "subscription_id": known[period_id].subscription_id,
            "refund_date": refund.day,
            "amount": amount,
        }
        for period_id, amount in refund.amounts.items()
    ]
    made = await insert_refunds(tx, account.id, refunded, refund.reason, by=by)
    await store.add_to_periods(tx, account.id, made)
    ids = sorted({row["subscription_id"] for row in refunded})
    await subscription_json.mark_outdated(tx, account.id, ids)
    subscribers = sorted({row.subscriber_id for row in rows})
    await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
    billed = await find_invoices(tx, account.id, list(refund.amounts))
    entries = [
        _event(row, known[row["id"]], refund, is_billed=row["id"] in billed) for row in refunded
    ]
    await trail.record(tx, account.id, by, entries)
    await credit_refunds(tx, account, refund.amounts, billed, reason=refund.reason, by=by)
    return [str(row["id"]) for row in made]


def _check(order: PaidOrder, amount: int, refund: Refund, *, today: date) -> None:
    """Raises: Invalid if an order cannot be refunded like this."""
    left = money_in_words(order.left, order.currency)
    check_refund(order, amount, shown_left=left, field=refund.field.format(period=order.period_id))
    check_refund_date(refund.day, order_date=order.order_date, today=today, field="refund_date")


def _event(row: Row, order: PaidOrder, refund: Refund, *, is_billed: bool) -> NewEntry:
    """The audit entry for the refund of an order."""
    before = {"refunded": money_text(order.refunded, order.currency)}
    after = {
        "refunded": money_text(order.refunded + row["amount"], order.currency),
        "amount": money_text(row["amount"], order.currency),
        "currency": order.currency,
        "order_id": order.order_id,
        "refund_date": refund.day,
    }
    if refund.reason:
        after["reason"] = refund.reason
    if is_billed:  # it is credited: nothing goes back by itself
        after["is_billed"] = True
    return NewEntry(EntryType.SUBSCRIPTION_REFUND, row["subscription_id"], before, after)
