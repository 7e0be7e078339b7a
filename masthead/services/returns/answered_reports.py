"""A changed address ends the hold on the old one, and answers the open reports on it."""

from collections.abc import Collection, Sequence

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.events.types import PublicEventType
from masthead.model.returns.delivery_reports import (
    PostalAddress,
    ReportKind,
    ReportStatus,
    is_same_address,
)
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.store.engine.interface import Transaction
from masthead.store.events.write import NewEvent, add_events
from masthead.store.returns import delivery_reports as store

_ON_LABEL = frozenset({*ADDRESS_FIELDS, "company"})


async def close_answered_reports(
    tx: Transaction,
    account_id: int,
    subscription: StoredSubscription,
    changed: Collection[str],
    *,
    by: Actor,
) -> None:
    """Close the open reports on a subscription if its address has just been changed.

    subscription: its columns with the new values. changed: the names of the changed columns.
    Queries: none if no part of the address changed, else one to four.
    """
    if _ON_LABEL & set(changed):
        await close_reports(tx, account_id, [subscription], by=by)


async def close_reports(
    tx: Transaction, account_id: int, moved: Sequence[StoredSubscription], *, by: Actor
) -> None:
    """Close the open reports on subscriptions whose addresses have just been changed.

    moved: the columns of the subscriptions, with the new values. Queries: one to four.
    """
    addresses = {each.id: PostalAddress.from_row(structs.asdict(each)) for each in moved}
    ids: dict[ReportStatus, list[str]] = {}
    for report in await store.list_of_subscriptions(tx, account_id, list(addresses)):
        address = addresses[report.subscription_id]
        if report.kind is ReportKind.UNDELIVERABLE:
            status = ReportStatus.CORRECTED
        elif report.new_address and is_same_address(report.new_address, address):
            status = ReportStatus.ACCEPTED
        elif not is_same_address(report.old_address, address):
            status = ReportStatus.OUTDATED
        else:
            continue
        ids.setdefault(status, []).append(report.id)
    for status, answered in ids.items():
        await resolve_reports(tx, account_id, answered, status, by=by)


async def resolve_reports(
    tx: Transaction, account_id: int, ids: Sequence[str], status: ReportStatus, *, by: Actor
) -> None:
    """Close open reports. Queries: one."""
    await store.resolve(tx, account_id, ids, status)
    closed = [NewEvent(PublicEventType.DELIVERY_REPORT_CLOSED, id) for id in ids]
    await add_events(tx, account_id, by, closed)
