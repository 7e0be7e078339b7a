"""Changes of addresses: planned, made for good, or cancelled."""

from collections.abc import Collection, Sequence
from datetime import date

from msgspec import structs

from masthead.model.addresses.change_resources import AddressChangeQuery, AddressChangeResource
from masthead.model.addresses.changes import AddressChange, ChangeStatus, NewAddress
from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import to_struct
from masthead.store.issues.records import IS_RELEASED
from masthead.store.subscribers.conditions import is_of_subscriber

_SELECT = """
    SELECT
        a.id,
        a.group_id,
        a.subscriber_id,
        a.subscription_id,
        a.first_issue,
        a.last_issue,
        a.first_name,
        a.last_name,
        a.company,
        a.address1,
        a.address2,
        a.city,
        a.state,
        a.postcode,
        a.country,
        a.phone,
        a.status,
        a.created_at,
        a.actor_kind,
        a.actor_id,
        a.ended_at,
        a.move_first_issue,
        a.first_day,
        a.last_day
    FROM address_change a
    WHERE a.account_id = :account_id
"""

# The other parts of a change for good are not changes of their own
_IS_WHOLE = "(a.move_first_issue IS NULL OR a.last_issue IS NULL)"


def _change_from_row(row: Row) -> AddressChange:
    """The change in a row of `_SELECT`."""
    return to_struct({**row, "address": to_struct(row, NewAddress)}, AddressChange)


async def list_of_subscriber(
    db: Connection, account_id: int, subscriber_id: str, *, limit: int
) -> list[AddressChange]:
    """The changes for a subscriber, those that were planned last first. Queries: one."""
    rows = await db.fetch_all(
        f"""
        {_SELECT}
          AND a.subscriber_id = :subscriber
          AND {_IS_WHOLE}
        ORDER BY a.id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "subscriber": subscriber_id, "limit": limit},
    )
    return [_change_from_row(row) for row in rows]


async def list_changes(
    db: Connection, account_id: int, query: AddressChangeQuery, page: PageRequest
) -> Page[AddressChangeResource]:
    """Changes that match the filters, those that were planned last first. Queries: one.

    Index: the primary key, address_change_by_subscriber or address_change_by_subscription.
    """
    rows = await db.fetch_all(
        f"""
        {_SELECT}
          {f"AND {is_of_subscriber('a.subscriber_id')}" if query.subscriber else ""}
          {"AND a.subscription_id = :subscription" if query.subscription else ""}
          AND {_IS_WHOLE}
          AND a.id < :after
        ORDER BY a.id DESC
        LIMIT :fetch
        """,
        {
            "account_id": account_id,
            "subscriber": query.subscriber,
            "subscription": query.subscription,
            "after": page.after_id,
            "fetch": page.fetch,
        },
    )
    found = [AddressChangeResource.of(_change_from_row(row)) for row in rows]
    return cut_page(found, page)


async def get_change(db: Connection, account_id: int, id: str) -> AddressChange:
    """A change by id. Queries: one. Raises: NotFound."""
    row = await db.fetch_one(
        f"{_SELECT} AND a.id = :id AND {_IS_WHOLE}", {"account_id": account_id, "id": id}
    )
    if row is None:
        raise NotFound("change of address", id)
    return _change_from_row(row)


async def list_of_group(db: Connection, account_id: int, group_id: str) -> list[AddressChange]:
    """The changes that were planned together, with their parts, by subscription. Queries: one."""
    rows = await db.fetch_all(
        _SELECT + "AND a.group_id = :group_id ORDER BY a.subscription_id, a.first_issue",
        {"account_id": account_id, "group_id": group_id},
    )
    return [_change_from_row(row) for row in rows]


async def list_planned(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[AddressChange]:
    """The planned changes of subscriptions, with their parts, by first issue. Queries: one."""
    rows = await db.fetch_all(
        _SELECT
        + """
        AND a.subscription_id IN (:ids...)
        AND a.status = 'planned'
        ORDER BY a.first_issue, a.id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    return [_change_from_row(row) for row in rows]


async def insert_changes(
    tx: Transaction, account_id: int, changes: Sequence[AddressChange]
) -> None:
    """Add changes. Queries: one, for any number of changes."""
    await tx.insert_rows(
        "address_change",
        [
            {
                **{name: it for name, it in structs.asdict(each).items() if name != "address"},
                **structs.asdict(each.address),
                "account_id": account_id,
            }
            for each in changes
        ],
    )


async def list_for_days(db: Connection, account_id: int) -> list[AddressChange]:
    """The planned changes for days, without their parts. Queries: one.

    Index: address_change_by_status.
    """
    rows = await db.fetch_all(
        f"""
        {_SELECT}
          AND a.status = 'planned'
          AND a.first_day IS NOT NULL
          AND {_IS_WHOLE}
        ORDER BY a.subscription_id, a.id
        """,
        {"account_id": account_id},
    )
    return [_change_from_row(row) for row in rows]


async def end_changes(
    tx: Transaction, account_id: int, ids: Collection[str], status: ChangeStatus
) -> int:
    """Let planned changes have another status; returns how many. Queries: one."""
    return await tx.execute(
        """
        UPDATE address_change
        SET status = :status, ended_at = :moment
        WHERE account_id = :account_id AND id IN (:ids...) AND (status = 'planned') IS TRUE
        """,
        {"account_id": account_id, "ids": list(ids), "status": status, "moment": now()},
    )


async def list_due(
    db: Connection, account_id: int, *, day: date, current: int
) -> list[AddressChange]:
    """The planned changes for good whose first issue is released, by first issue.

    If the first issue does not exist, the next one counts. current: the number of the current
    issue, or 0. Queries: one. Index: address_change_by_status.
    """
    rows = await db.fetch_all(
        f"""
        {_SELECT}
          AND a.status = 'planned'
          AND a.last_issue IS NULL
          AND EXISTS (
              SELECT 1
              FROM issue i
              WHERE i.account_id = :account_id
                AND i.number = (
                    SELECT min(n.number)
                    FROM issue n
                    WHERE n.account_id = :account_id
                      AND n.number >= coalesce(a.move_first_issue, a.first_issue)
                )
                AND {IS_RELEASED}
          )
        ORDER BY a.first_issue, a.id
        """,  # noqa: S608 - the conditions are constants
        {"account_id": account_id, "day": day, "current": current},
    )
    return [_change_from_row(row) for row in rows]


async def list_past(
    db: Connection, account_id: int, *, day: date, current: int
) -> list[AddressChange]:
    """The planned changes for some issues that are over.

    An issue after the last one is released, and no copy of their issues is still to be sent.
    current: as in `list_due`. Queries: one. Index: address_change_by_status.
    """
    rows = await db.fetch_all(
        f"""
        {_SELECT}
          AND a.status = 'planned'
          AND a.last_issue >= a.first_issue
          AND a.move_first_issue IS NULL
          AND EXISTS (
              SELECT 1
              FROM issue i
              WHERE i.account_id = :account_id AND i.number > a.last_issue AND {IS_RELEASED}
          )
          AND NOT EXISTS (
              SELECT 1
              FROM copy c
              WHERE c.account_id = :account_id
                AND c.subscription_id = a.subscription_id
                AND c.issue_number BETWEEN a.first_issue AND a.last_issue
                AND c.status NOT IN ('Sent', 'Cancelled')
          )
        """,  # noqa: S608 - the conditions are constants
        {"account_id": account_id, "day": day, "current": current},
    )
    return [_change_from_row(row) for row in rows]


async def update_addresses(tx: Transaction, account_id: int, addresses: Sequence[Row]) -> None:
    """Set the names and addresses of subscriptions. addresses: their columns, with `id`."""
    await tx.execute_many(
        """
        UPDATE subscription
        SET
            first_name = :first_name,
            last_name = :last_name,
            company = :company,
            address1 = :address1,
            address2 = :address2,
            city = :city,
            state = :state,
            postcode = :postcode,
            country = :country,
            phone = :phone
        WHERE account_id = :account_id AND id = :id
        """,
        [{**row, "account_id": account_id} for row in addresses],
    )


async def update_countries(
    tx: Transaction, account_id: int, subscription_ids: Collection[str]
) -> None:
    """Set the country of all copies of subscriptions to that of the subscription. Queries: one."""
    await tx.execute(
        """
        UPDATE copy
        SET country = (
            SELECT s.country
            FROM subscription s
            WHERE s.account_id = :account_id AND s.id = copy.subscription_id
        )
        WHERE account_id = :account_id AND subscription_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
