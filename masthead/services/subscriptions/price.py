"""Change what an order costs, and let its invoice follow."""

from collections.abc import Sequence

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.resources import Subscription
from masthead.model.subscriptions.billed_changes import (
    InvoiceChoice,
    PriceChange,
    divide_price,
    require_invoice_choice,
)
from masthead.model.subscriptions.refunds import OrderOfCopies, find_order, join_orders
from masthead.model.translations import gettext as _
from masthead.model.types.money import minor_units, money_text
from masthead.services.billing.credit import bill_again, take_back
from masthead.services.subscriptions.bundles import find_others
from masthead.services.subscriptions.locking import lock_subscription
from masthead.services.subscriptions.refunds import Refund, list_paid_orders, write_refunds
from masthead.services.transactions import in_transaction
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, orders
from masthead.store.engine.interface import Transaction
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import get_subscription
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as subscriptions, refunds as store


class NewPrice(Struct, frozen=True, kw_only=True):
    """What an order is to cost. period_id: of one of its copies. price: of all copies together.

    choice: what becomes of its invoice; None if it is on none. reason: for a credit note.
    seen: the price, and what was refunded, when the form was opened.
    """

    period_id: int
    price: int
    choice: InvoiceChoice | None = None
    reason: str = ""
    seen: tuple[int, int]


@in_transaction
async def change_price(
    tx: Transaction,
    account_id: int,
    id: str,
    wanted: NewPrice,
    *,
    also: Sequence[str] = (),
    by: Actor,
) -> list[str]:
    """Change the price of an order of a subscription; returns the ids of new invoices and notes.

    also: the other subscriptions of its group. An order that was paid at once just costs the new
    price; one that waits is billed with it. Of an order on an invoice, the choice decides: a credit
    note and a new invoice, or a credit note for the difference, which is a refund.
    Raises: NotFound, Erased, Invalid.
    """
    account, _row = await lock_subscription(tx, account_id, id)
    return await _change(tx, account, [id, *also], wanted, by=by)


@in_transaction
async def change_order_price(
    tx: Transaction, account_id: int, id: str, body: PriceChange, *, by: Actor
) -> Subscription:
    """Change the price of an order, as a program asks.

    Raises: NotFound, Erased, Invalid.
    """
    account, _row = await lock_subscription(tx, account_id, id)
    others = await find_others(tx, account_id, id) if body.all_copies else []
    ids = [id, *others]
    owned = await list_paid_orders(tx, account_id, ids, day=account.daily_date)
    named = find_order(owned[id], body.order_id)
    order = _find(join_orders([owned[each] for each in ids]), named.period_id)
    wanted = NewPrice(
        period_id=named.period_id,
        price=minor_units("price", body.price, named.currency),
        choice=InvoiceChoice(body.invoice_action) if body.invoice_action else None,
        reason=body.reason or "",
        seen=(order.price, order.refunded),
    )
    await _change(tx, account, ids, wanted, by=by)
    return await get_subscription(tx, account_id, id)


async def _change(
    tx: Transaction, account: Account, ids: Sequence[str], wanted: NewPrice, *, by: Actor
) -> list[str]:
    """Do what `change_price` does, in a transaction that has locked the account."""
    owned = await list_paid_orders(tx, account.id, ids, day=account.daily_date)
    order = _find(join_orders([owned[each] for each in ids]), wanted.period_id)
    if (order.price, order.refunded) != wanted.seen:
        raise Invalid(
            _(
                "The price of this order, or what is refunded of it, has changed since you "
                "opened this page. Check it, and send the form again if it is still correct."
            ),
            code=CHANGED_MEANWHILE,
        )
    if wanted.price == order.price:
        return []
    prices = divide_price(order, wanted.price)
    billed = await orders.find_invoices(tx, account.id, list(prices))
    on_invoice = sorted({invoice for invoice in billed.values() if invoice})
    if not on_invoice:
        await _write(tx, account, order, prices, wanted.reason, by=by)
        return []
    choice = require_invoice_choice(wanted.choice, is_less=wanted.price < order.price)
    if choice is InvoiceChoice.CREDIT:
        return await _credit(tx, account, order, wanted, on_invoice, by=by)
    made = []
    taken = []
    for invoice_id in on_invoice:
        document = (await invoices.get_invoice(tx, account.id, invoice_id)).document
        terms = BillingTerms(order_reference=document.order_reference)
        back = await take_back(
            tx, account, invoice_id, terms, only=list(prices), reason=wanted.reason, by=by
        )
        taken.append((back, terms))
    await _write(tx, account, order, prices, wanted.reason, by=by)
    for back, terms in taken:
        correction = await bill_again(tx, account, back, terms, by=by)
        made += [correction.credit_note_id, *correction.invoice_ids]
    return made


def _find(listed: Sequence[OrderOfCopies], period_id: int) -> OrderOfCopies:
    """The order with a period. Raises: NotFound."""
    for order in listed:
        if any(part.period_id == period_id for part in order.parts):
            return order
    raise NotFound("order", period_id)


async def _credit(
    tx: Transaction,
    account: Account,
    order: OrderOfCopies,
    wanted: NewPrice,
    invoice_ids: Sequence[str],
    *,
    by: Actor,
) -> list[str]:
    """Refund what the order costs less, by a credit note; its price stays. Raises: Invalid."""
    less = order.price - wanted.price
    ids = sorted({part.subscription_id for part in order.parts})
    rows = await subscriptions.find_rows(tx, account.id, ids)
    refund = Refund(
        amounts=order.divide(less), day=account.daily_date, reason=wanted.reason, field="price"
    )
    await write_refunds(tx, account, list(rows.values()), order.parts, refund, by=by)
    return [
        (await invoices.list_credit_notes(tx, account.id, invoice_id))[-1].id
        for invoice_id in invoice_ids
    ]


async def _write(
    tx: Transaction,
    account: Account,
    order: OrderOfCopies,
    prices: dict[int, int],
    reason: str,
    *,
    by: Actor,
) -> None:
    """Store the prices, and all that follows from them."""
    await store.update_prices(tx, account.id, prices)
    ids = sorted({part.subscription_id for part in order.parts})
    rows = await subscriptions.find_rows(tx, account.id, ids)
    await subscription_json.mark_outdated(tx, account.id, ids)
    subscribers = sorted({row.subscriber_id for row in rows.values()})
    await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
    entries = []
    for part in order.parts:
        if prices[part.period_id] == part.price:
            continue
        after: dict[str, object] = {
            "price": money_text(prices[part.period_id], part.currency),
            "currency": part.currency,
            "order_id": part.order_id,
        }
        if reason:
            after["reason"] = reason
        before = {"price": money_text(part.price, part.currency)}
        entries.append(
            NewEntry(EntryType.SUBSCRIPTION_CHANGE_PRICE, part.subscription_id, before, after)
        )
    await trail.record(tx, account.id, by, entries)
