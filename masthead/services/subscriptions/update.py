"""Change the fields of a subscription."""

from collections.abc import Collection, Mapping

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.inputs import SubscriptionUpdate, changes
from masthead.model.orders.field_rules import API_NAMES
from masthead.model.orders.order import require_name_kept
from masthead.model.resources import Subscription
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.services.returns.answered_reports import close_answered_reports
from masthead.services.search_index import rewrite_search
from masthead.services.subscriptions.locking import changed_since_opened, lock_subscription
from masthead.services.transactions import in_transaction
from masthead.store import copies
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.events.write import get_written
from masthead.store.read_model import subscription_json
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as store


@in_transaction
async def update_subscription(
    tx: Transaction,
    account_id: int,
    id: str,
    body: SubscriptionUpdate,
    *,
    also: Collection[str] = (),
    seen: Mapping[str, object] | None = None,
    names: Collection[str] = API_NAMES,
    by: Actor,
) -> Subscription:
    """Change the fields of a subscription that the body has; its copies get a new country too.

    also: the other subscriptions of its group, which change in the same way. names: of which one
    must remain.

    seen: the fields as the user saw them in the form. If one of them has changed since then,
    nothing is saved. Raises: NotFound, Invalid. Spec: Subscriptions, PATCH /v1/subscriptions/{id}/.
    """
    account, before = await lock_subscription(tx, account_id, id)
    if any(getattr(before, name) != was for name, was in (seen or {}).items()):
        raise changed_since_opened()
    others = await store.find_rows(tx, account_id, also) if also else {}
    for row in (before, *others.values()):
        known = structs.asdict(row)
        changed = {name: to for name, to in changes(body).items() if known[name] != to}
        require_name_kept(known, known | changed, names=names)
        await change_subscription(tx, account, row, changed, by=by)
    return await get_written(tx, account_id, id)


async def change_subscription(
    tx: Transaction,
    account: Account,
    before: StoredSubscription,
    changed: Mapping[str, object],
    *,
    by: Actor,
) -> None:
    """Change columns of a subscription, and everything that depends on them.

    A changed address also closes the delivery reports on the old one, so that its hold ends.
    before: its columns. changed: the new values, of those that differ. Raises: Invalid.
    """
    if not changed:
        return
    id, subscribers = before.id, [before.subscriber_id]
    after = structs.replace(before, **changed)
    await store.update_subscription(tx, account.id, id, changed)
    await subscription_json.mark_outdated(tx, account.id, [id])
    if "country" in changed:
        await copies.update_country(tx, account.id, id, after.country)
        await subscriber_store.update_stats(tx, account.id, subscribers, currency=account.currency)
    await close_answered_reports(tx, account.id, after, changed.keys(), by=by)
    await rewrite_search(tx, account.id, subscribers)
    old = {name: getattr(before, name) for name in changed}
    entry = NewEntry(EntryType.SUBSCRIPTION_UPDATE, id, old, changed)
    await trail.record(tx, account.id, by, [entry])
