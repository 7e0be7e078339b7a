"""Renew subscriptions: by orders that staff take by phone and post, or that programs send."""

from collections.abc import Sequence

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.billing.payer_entry import PayerEntry
from masthead.model.billing.terms import BillingTerms, terms_of
from masthead.model.errors import NotFound
from masthead.model.orders.order import OrderDefaults
from masthead.model.resources import Subscription
from masthead.model.subscriptions.renewals import (
    Renewal,
    RenewalCreate,
    SubscriptionEnd,
    orders_of_renewal,
    renewal_of,
    require_kind,
    require_renewable,
)
from masthead.model.types.enums import SubscriptionStatus
from masthead.services.billing.issue import bill_entered, bill_orders
from masthead.services.billing.new_payers import with_payer
from masthead.services.billing.pricing import price_further
from masthead.services.orders.place import place_all
from masthead.services.privacy.guard import require_owners_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.events.write import get_written
from masthead.store.subscriptions import periods, records as subscriptions


async def list_ends(db: Connection, account_id: int, ids: Sequence[str]) -> list[SubscriptionEnd]:
    """The ends of subscriptions, in the given order. Queries: two. Raises: NotFound."""
    rows = await subscriptions.find_rows(db, account_id, ids)
    orders = await periods.list_periods(db, account_id, ids)
    for id in ids:
        if id not in rows:
            raise NotFound("subscription", id)
    return [
        SubscriptionEnd(
            id=id,
            status=SubscriptionStatus(rows[id].status),
            is_comp=rows[id].is_comp,
            order_id=orders[id][-1].order_id,
            last_issue=orders[id][-1].last_issue,
            period_end=orders[id][-1].period_end,
        )
        for id in ids
    ]


@with_locked_account
async def renew_together(
    tx: Transaction,
    account: Account,
    ids: Sequence[str],
    renewal: Renewal,
    *,
    source_id: str,
    terms: BillingTerms | None = None,
    new_payer: PayerEntry | None = None,
    seen: Sequence[str],
    defaults: OrderDefaults,
    by: Actor,
) -> list[str]:
    """Renew one subscription, or those of a bundle with one price; returns the invoices' ids.

    terms: how it is billed; None if it was paid. new_payer: who gets the invoice, if they are new.
    seen: `SubscriptionEnd.seen` of each when the form was opened. If one was renewed since then, or
    cancelled, nothing is saved. Raises: NotFound, Invalid.
    """
    ends = await list_ends(tx, account.id, ids)
    await require_owners_not_erased(tx, account.id, ids)
    for end in ends:
        require_renewable(end, renewal, seen=seen)
    priced, billed = renewal, terms
    if terms:
        billed = await with_payer(
            tx,
            account,
            terms,
            new_payer,
            vat_id=terms.vat_id,
            placeholder_domain=defaults.placeholder_domain,
            by=by,
        )
        total = await price_further(tx, account, renewal.price, billed, ids[0], renewal=renewal)
        priced = structs.replace(renewal, price=total)
    orders = orders_of_renewal(priced, ends)
    await place_all(tx, account, source_id, orders, defaults=defaults, by=by)
    return await bill_entered(tx, account, billed, ids, by=by) if billed else []


@with_locked_account
async def renew_subscription(
    tx: Transaction,
    account: Account,
    id: str,
    body: RenewalCreate,
    *,
    defaults: OrderDefaults,
    by: Actor,
) -> Subscription:
    """Renew one subscription for a program, even if it belongs to a bundle.

    Raises: NotFound, Erased, Invalid (`cancelled`, `invalid_source`, `duplicate_order_id`).
    """
    renewal, terms = renewal_of(body, currency=defaults.currency), terms_of(body)
    ends = await list_ends(tx, account.id, [id])
    await require_owners_not_erased(tx, account.id, [id])
    require_kind(ends[0], body)
    require_renewable(ends[0], renewal, seen=None)
    priced = renewal
    if terms:
        total = await price_further(tx, account, renewal.price, terms, id, renewal=renewal)
        priced = structs.replace(renewal, price=total)
    orders = orders_of_renewal(priced, ends)
    await place_all(tx, account, body.source, orders, defaults=defaults, by=by)
    if terms:
        await bill_orders(tx, account, terms, [id], may_wait=True, by=by)
    return await get_written(tx, account.id, id)
