"""Change the number of copies for one address, from an issue on."""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.billing.terms import BillingTerms
from masthead.model.errors import Invalid
from masthead.model.orders.order import OrderDefaults
from masthead.model.subscriptions.copy_counts import (
    CopyCountChange,
    further_orders,
    further_price,
    price_from,
    require_changeable,
)
from masthead.model.subscriptions.groups import CopyGroup
from masthead.model.subscriptions.renewals import require_free
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.model.translations import gettext as _
from masthead.model.types.enums import CopyStatus
from masthead.services.billing.issue import bill_entered
from masthead.services.billing.payers import find_default_payer
from masthead.services.billing.pricing import price_further
from masthead.services.orders.place import place_all
from masthead.services.subscriptions.bundles import get_bundle
from masthead.services.subscriptions.cancel import end_now
from masthead.services.subscriptions.locking import changed_since_opened, lock_subscription
from masthead.services.subscriptions.refunds import Refund, list_paid_orders, write_refunds
from masthead.services.subscriptions.terms import shorten
from masthead.services.transactions import in_transaction
from masthead.store import products
from masthead.store.accounts import Account
from masthead.store.billing.orders import find_last_payer
from masthead.store.engine.interface import Transaction
from masthead.store.subscriptions import periods, records as subscriptions, subscription_copies


@in_transaction
async def change_copy_count(
    tx: Transaction,
    account_id: int,
    id: str,
    change: CopyCountChange,
    *,
    source_id: str,
    seen: int,
    defaults: OrderDefaults,
    by: Actor,
) -> list[str] | None:
    """Give the address of a subscription more or fewer copies of each issue from an issue on.

    Further copies are subscriptions of an order of their own, in the same bundle, that end as the
    others do. Of fewer copies, those that were ordered last end with the issue before.
    seen: how many copies there were when the form was opened.
    Returns the ids of the invoices, None if nothing is billed. Raises: NotFound, Invalid.
    """
    account, _row = await lock_subscription(tx, account_id, id)
    group = (await get_bundle(tx, account_id, id)).group
    if len(group.members) != seen:
        raise changed_since_opened()
    require_changeable(group, change)
    owned = await periods.list_periods(tx, account_id, group.ids)
    more = change.count - len(group.members)
    if more > 0:
        first = owned[group.first.id]
        return await _add(tx, account, group, first, change, more, source_id, defaults, by)
    await _end(tx, account, group.members[more:], owned, change, by=by)
    return None


async def _add(
    tx: Transaction,
    account: Account,
    group: CopyGroup,
    owned: Sequence[StoredPeriod],
    change: CopyCountChange,
    more: int,
    source_id: str,
    defaults: OrderDefaults,
    by: Actor,
) -> list[str] | None:
    """Add copies. owned: the periods of the first copy. Returns the ids of the invoices, if billed.

    Raises: Invalid.
    """
    row = group.first
    price = change.price
    if price is None:
        price = further_price(owned, change.first_issue, more)
    terms = None
    if change.is_billed and price:
        last = await find_last_payer(tx, account.id, row.id)
        terms = BillingTerms(payer_id=last or await find_default_payer(tx, account.id, row))
        if change.price is not None:
            price = await price_further(tx, account, price, terms, row.id)
    require_free(price, is_comp=row.is_comp)
    if row.bundle_id is None:
        await subscriptions.update_subscription(tx, account.id, row.id, {"bundle_id": row.id})
    imported = await products.get_imported_product(tx, account.id)
    orders = further_orders(row, change, more=more, price=price)
    product_id = None if row.product_id == imported else row.product_id
    try:
        ids = await place_all(
            tx, account, source_id, orders, defaults=defaults, product_id=product_id, by=by
        )
    except Invalid as refusal:
        if refusal.field == "start_issue":  # as the page calls it
            refusal.field = "first_issue"
        raise
    return await bill_entered(tx, account, terms, ids, by=by) if terms else None


async def _end(
    tx: Transaction,
    account: Account,
    rows: Sequence[StoredSubscription],
    owned: dict[str, list[StoredPeriod]],
    change: CopyCountChange,
    *,
    by: Actor,
) -> None:
    """End copies with the issue before. owned: the periods of each. Raises: Invalid."""
    ids = [row.id for row in rows]
    await _require_unsent(tx, account.id, ids, change.first_issue)
    if change.refunds:
        paid = await list_paid_orders(tx, account.id, ids, day=account.daily_date)
        amounts = {
            period.id: price_from(period, change.first_issue) for id in ids for period in owned[id]
        }
        refund = Refund(
            amounts={id: amount for id, amount in amounts.items() if amount},
            day=account.daily_date,
            reason=_("Fewer copies from issue {issue} on").format(issue=change.first_issue),
        )
        orders = [order for each in paid.values() for order in each]
        await write_refunds(tx, account, rows, orders, refund, by=by)
    for row in rows:
        last = owned[row.id][-1]
        first = last.first_issue or 0
        if change.first_issue > first:
            await shorten(tx, account, row, owned[row.id], change.first_issue - first, by=by)
        elif change.first_issue <= (row.start_issue or 0):
            await end_now(tx, account, [row], None, by=by)
        else:
            raise Invalid(
                _(
                    "These copies are renewed from issue {issue} on. Fewer copies are possible "
                    "from issue {next} on, or cancel only one copy."
                ).format(issue=first, next=first + 1),
                field="first_issue",
            )


async def _require_unsent(
    tx: Transaction, account_id: int, ids: Sequence[str], first_issue: int
) -> None:
    """Raises: Invalid if a copy that should not go out was sent, or is in a frozen run."""
    for copy in reversed(await subscription_copies.list_with_runs(tx, account_id, ids)):
        if copy.issue_number < first_issue or copy.status is CopyStatus.CANCELLED:
            continue
        if copy.status is CopyStatus.SENT:
            message = _(
                "All copies of issue {issue} were sent. Fewer copies are possible from issue "
                "{next} on."
            )
        elif copy.dispatch_id is not None:
            message = _(
                "All copies of issue {issue} are in a prepared mailing. Fewer copies are "
                "possible from issue {next} on, or discard the mailing first."
            )
        else:
            continue
        raise Invalid(
            message.format(issue=copy.issue_number, next=copy.issue_number + 1), field="first_issue"
        )
