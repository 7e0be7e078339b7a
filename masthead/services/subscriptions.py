"""Create manual subscriptions; change and cancel subscriptions."""

from collections.abc import Mapping

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.inputs import SubscriptionUpdate, changes
from masthead.model.lifecycle import require_recurring, status_after_stop_renewals
from masthead.model.orders.order import Order, Terms, require_name
from masthead.model.resources import Subscription
from masthead.model.types.enums import CancelMode, SubscriptionStatus
from masthead.services.carriers.holds import close_answered_reports
from masthead.services.derived.search_index import rewrite_search
from masthead.services.derived.status_updates import end_subscriptions, update_statuses
from masthead.services.emails import messages
from masthead.services.orders.place import place_orders
from masthead.store import accounts, copies, subscribers
from masthead.store import subscriptions as store
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.read_model import subscription_json
from masthead.store.read_model.subscription_query import get_subscription


async def create_subscription(
    db: Database,
    account_id: int,
    source_id: str,
    order: Order,
    *,
    terms: Terms,
    send_welcome_email: bool,
    product_id: str | None = None,
    by: Actor,
) -> Subscription:
    """Create a manual subscription with its subscriber, period and copies.

    product_id: an active product; None for the product of imported subscriptions.
    Raises: Invalid (`invalid_source`, `unknown_start_issue`, `duplicate_order_id`).
    Spec: Subscriptions, POST /v1/subscriptions/.
    """

    async def work(tx: Transaction) -> Subscription:
        account = await accounts.lock_account(tx, account_id)
        [placed] = await place_orders(
            tx, account, source_id, [order], terms=terms, product_id=product_id, by=by
        )
        if isinstance(placed, Invalid):
            raise placed
        created = await get_subscription(tx, account_id, placed)
        if send_welcome_email and order.email is not None:
            await messages.write_welcome(tx, account, created, domain=terms.placeholder_domain)
        return created

    return await db.write(work, account_id=account_id)


async def _lock_subscription(tx: Transaction, account_id: int, id: str) -> tuple[Account, Row]:
    """Lock the account; returns it and the subscription's row. Raises: NotFound."""
    account = await accounts.lock_account(tx, account_id)
    found = await store.find_rows(tx, account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    return account, found[id]


async def update_subscription(
    db: Database,
    account_id: int,
    id: str,
    body: SubscriptionUpdate,
    *,
    seen: Mapping[str, object] | None = None,
    by: Actor,
) -> Subscription:
    """Change the fields of a subscription that the body has; its copies get a new country too.

    seen: the fields as the user saw them in the form. If one of them has changed since then,
    nothing is saved. Raises: NotFound, Invalid. Spec: Subscriptions, PATCH /v1/subscriptions/{id}/.
    """

    async def work(tx: Transaction) -> Subscription:
        account, before = await _lock_subscription(tx, account_id, id)
        if any(before[name] != was for name, was in (seen or {}).items()):
            raise Invalid(
                "This subscription has changed since you opened it. Check its current values, and "
                "send your changes again if they are still correct.",
                code=CHANGED_MEANWHILE,
            )
        changed = {name: to for name, to in changes(body).items() if before[name] != to}
        await change_subscription(tx, account, before, changed, by=by)
        return await get_subscription(tx, account_id, id)

    return await db.write(work, account_id=account_id)


async def change_subscription(
    tx: Transaction, account: Account, before: Row, changed: Mapping[str, object], *, by: Actor
) -> None:
    """Change columns of a subscription, and everything that depends on them.

    A changed address also closes the delivery reports on the old one, so that its hold ends.
    before: its columns. changed: the new values, of those that differ. Raises: Invalid.
    """
    if not changed:
        return
    id, readers = before["id"], [before["subscriber_id"]]
    after = {**before, **changed}
    require_name(after["first_name"], after["company"])
    await store.update_subscription(tx, account.id, id, changed)
    await subscription_json.mark_outdated(tx, account.id, [id])
    if "country" in changed:
        await copies.update_country(tx, account.id, id, after["country"])
        await subscribers.update_stats(tx, account.id, readers, currency=account.currency)
    await close_answered_reports(tx, account.id, after, changed.keys())
    await rewrite_search(tx, account.id, readers)
    old = {name: before[name] for name in changed}
    event = AuditEvent(EventType.SUBSCRIPTION_UPDATE, id, old, changed)
    await trail.record(tx, account.id, by, [event])


async def cancel_subscription(
    db: Database, account_id: int, id: str, mode: CancelMode, *, by: Actor
) -> Subscription:
    """Stop the renewals of a subscription, or end it at once.

    Raises: NotFound, Invalid `not_recurring`. Spec: POST /v1/subscriptions/{id}/cancel/.
    """

    async def work(tx: Transaction) -> Subscription:
        account, row = await _lock_subscription(tx, account_id, id)
        if mode is CancelMode.STOP_RENEWALS:
            await _stop_renewals(tx, account, row, by=by)
        elif row["status"] != SubscriptionStatus.CANCELLED:
            await _end(tx, account, row, by=by)
        return await get_subscription(tx, account_id, id)

    return await db.write(work, account_id=account_id)


async def _stop_renewals(tx: Transaction, account: Account, row: Row, *, by: Actor) -> None:
    """Stop the renewals and keep the paid periods. Raises: Invalid `not_recurring`."""
    require_recurring(is_recurring=row["is_recurring"])
    before = SubscriptionStatus(row["status"])
    after = status_after_stop_renewals(before)
    if after != before:
        await store.update_status(tx, account.id, [row["id"]], after)
        await subscription_json.mark_outdated(tx, account.id, [row["id"]])
        states = {"status": before}, {"status": after}
        event = AuditEvent(EventType.SUBSCRIPTION_STOP_RENEWALS, row["id"], *states)
        await trail.record(tx, account.id, by, [event])
        await update_statuses(tx, account, [row["id"]], by=by)


async def _end(tx: Transaction, account: Account, row: Row, *, by: Actor) -> None:
    """Cancel the subscription and its unsent copies. Sent copies do not change."""
    cancelled = await end_subscriptions(tx, account, [row["id"]])
    await subscription_json.mark_outdated(tx, account.id, [row["id"]])
    before = {"status": row["status"]}
    after = {"status": SubscriptionStatus.CANCELLED, "cancelled_copies": cancelled}
    event = AuditEvent(EventType.SUBSCRIPTION_CANCEL, row["id"], before, after)
    await trail.record(tx, account.id, by, [event])
    await update_statuses(tx, account, [row["id"]], by=by)  # its periods may now be complete
    readers = [row["subscriber_id"]]
    await subscribers.update_stats(tx, account.id, readers, currency=account.currency)
