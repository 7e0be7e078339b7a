"""Give a corrected name to the subscriptions that have the old one."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.orders.order import require_name_kept
from masthead.services.returns.answered_reports import close_answered_reports
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.returns import delivery_reports
from masthead.store.subscribers import corrections as store
from masthead.store.subscribers.corrections import NamedSubscription, StoredSubscriber
from masthead.store.subscriptions import records as subscriptions


def values_of(record: object, names: Iterable[str]) -> dict[str, object]:
    """Some fields of a record, by name."""
    return {name: getattr(record, name) for name in names}


async def rename_subscriptions(
    tx: Transaction,
    account_id: int,
    named: Sequence[NamedSubscription],
    names: Mapping[str, Any],
    *,
    required: Collection[str],
    by: Actor,
) -> list[NewEntry]:
    """Give subscriptions other names; returns the entries for the audit trail. Raises: Invalid.

    A changed company also closes the delivery reports on the old address.
    """
    for each in named:
        before = structs.asdict(each)
        require_name_kept(before, {**before, **names}, names=required)
    ids = [each.id for each in named]
    await store.update_names(tx, account_id, ids, names)
    reports = await delivery_reports.list_of_subscriptions(tx, account_id, ids)
    reported = {report.subscription_id for report in reports}
    for subscription in (await subscriptions.find_rows(tx, account_id, reported)).values():
        await close_answered_reports(tx, account_id, subscription, names.keys(), by=by)
    return [
        NewEntry(EntryType.SUBSCRIPTION_UPDATE, each.id, values_of(each, names), names)
        for each in named
    ]


async def same_names(
    db: Connection, account_id: int, subscriber: StoredSubscriber, changed: Collection[str]
) -> tuple[list[NamedSubscription], int]:
    """The subscriptions under the name of a subscriber, and how many have another name.

    changed: names of columns; the company counts if it changes, or if they have no other name.
    """
    compared = {"first_name", "last_name"}
    if "company" in changed or not (subscriber.first_name or subscriber.last_name):
        compared.add("company")
    named = await store.list_names(db, account_id, subscriber.id)
    wanted = values_of(subscriber, compared)
    same = [each for each in named if values_of(each, compared) == wanted]
    return same, len(named) - len(same)


async def count_same_names(db: Connection, account_id: int, id: str) -> int:
    """The number of subscriptions with their subscriber's name. Queries: two. Raises: NotFound."""
    subscriber = await store.get_subscriber(db, account_id, id)
    same, _others = await same_names(db, account_id, subscriber, ())
    return len(same)
