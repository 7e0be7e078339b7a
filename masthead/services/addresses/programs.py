"""Changes of addresses that programs send, and those that they cancel."""

from masthead.model.actors import Actor
from masthead.model.addresses.change_resources import (
    AddressChangeCancel,
    AddressChangeCreate,
    AddressChangeResource,
    AddressChangeResult,
    unknown_subscription,
)
from masthead.model.addresses.days import find_span
from masthead.services.addresses.changes import cancel_changes, change_addresses
from masthead.services.addresses.requests import ChangeRequest
from masthead.store.addresses import changes as store
from masthead.store.engine.interface import Database
from masthead.store.issues import records as issues
from masthead.store.subscriptions import records as subscriptions


async def create_changes(
    db: Database, account_id: int, body: AddressChangeCreate, *, by: Actor
) -> AddressChangeResult:
    """Change the address of subscriptions now, or plan to; all of them, or none.

    Raises: Erased; Invalid (`unknown_subscription`, `address_change_overlaps`, `issues_are_over`,
    `same_address`, `unknown_release_dates`, `no_issue_in_span`).
    """
    first = body.subscriptions[0]
    first_issue, last_issue = body.first_issue, body.last_issue
    async with db.read() as connection:
        found = await subscriptions.find_rows(connection, account_id, [first])
        has_days = body.first_day is not None
        releases = await issues.list_releases(connection, account_id) if has_days else []
    if first not in found:
        raise unknown_subscription(first)
    if body.first_day is not None:
        span = find_span(releases, body.first_day, body.last_day)
        first_issue, last_issue = span.first.number, span.last.number if span.last else None
    result = await change_addresses(
        db,
        account_id,
        found[first].subscriber_id,
        ChangeRequest(
            subscription_ids=body.subscriptions,
            address=body.address,
            first_issue=first_issue,
            last_issue=last_issue,
            first_day=body.first_day,
            last_day=body.last_day,
        ),
        by=by,
    )
    planned = []
    if result.planned:
        async with db.read() as connection:
            planned = await store.list_of_group(connection, account_id, result.group_id)
    items = [AddressChangeResource.of(each) for each in planned if not each.is_part]
    return AddressChangeResult(changed=result.changed, items=items)


async def cancel_change(
    db: Database, account_id: int, id: str, body: AddressChangeCancel, *, by: Actor
) -> AddressChangeResource:
    """Cancel a planned change, and those that were planned with it. Raises: NotFound, Invalid."""
    async with db.read() as connection:
        change = await store.get_change(connection, account_id, id)
    await cancel_changes(
        db,
        account_id,
        change.subscriber_id,
        change.group_id,
        temporary=body.temporary_addresses,
        by=by,
    )
    async with db.read() as connection:
        return AddressChangeResource.of(await store.get_change(connection, account_id, id))
