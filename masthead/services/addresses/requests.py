"""A request to change the address of subscriptions, and whether it is possible."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.addresses.changes import (
    OVERLAPS,
    AddressChange,
    NewAddress,
    describe_issues,
    one_line,
)
from masthead.model.errors import Invalid
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.store.addresses import changes as store
from masthead.store.engine.interface import Connection
from masthead.store.subscribers import records as subscriber_store
from masthead.store.subscriptions import records as subscriptions


class ChangeRequest(Struct, frozen=True, kw_only=True):
    """A change of address for chosen subscriptions of a subscriber.

    first_issue: None to change the address now. last_issue: None to keep the address for good.
    first_day, last_day: the days that the issues are for; None if the user chose issues.
    """

    subscription_ids: Sequence[str]
    address: NewAddress
    first_issue: int | None = None
    last_issue: int | None = None
    first_day: date | None = None
    last_day: date | None = None


async def find_chosen(
    db: Connection, account_id: int, subscriber_id: str, ids: Sequence[str]
) -> list[StoredSubscription]:
    """The columns of a subscriber's chosen subscriptions. Queries: two. Raises: NotFound, Invalid.

    All of them must exist: others may have moved them to another subscriber in the meantime.
    """
    await subscriber_store.get_subscriber(db, account_id, subscriber_id)
    owned = await subscriptions.list_rows_of_subscribers(db, account_id, [subscriber_id])
    chosen = [row for row in owned if row.id in set(ids)]
    if not ids or len(chosen) != len(set(ids)):
        message = _("Choose which subscriptions get the new address.")
        raise Invalid(message, field="subscriptions")
    return chosen


async def find_planned_beside(
    db: Connection, account_id: int, request: ChangeRequest, rows: Sequence[StoredSubscription]
) -> list[AddressChange]:
    """The planned changes about the same issues that stay: one for good and some for some issues.

    Those for some issues go before one for good, whichever was planned first.
    Queries: none for a change now, else one.
    Raises: Invalid `address_change_overlaps` if both are for good, or both for some issues.
    """
    if request.first_issue is None:
        return []
    beside = []
    for other in await store.list_planned(db, account_id, [row.id for row in rows]):
        if other.is_part or not other.overlaps(request.first_issue, request.last_issue):
            continue
        if other.is_temporary == (request.last_issue is not None):
            raise Invalid(
                _(
                    "Another change of this address is planned already: {issues}, to {address}. "
                    "Cancel that one first, or choose other issues."
                ).format(
                    issues=describe_issues(other.begins, other.last_issue),
                    address=one_line(other.address),
                ),
                code=OVERLAPS,
                field="first_issue",
                value=request.first_issue,
            )
        beside.append(other)
    return beside
