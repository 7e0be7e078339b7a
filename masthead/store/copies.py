"""Copies: one for each issue that a subscription gets."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from datetime import date

import msgspec
from msgspec import UNSET, Raw, UnsetType

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType
from masthead.model.errors import NotFound
from masthead.model.ids import LAST_NUMBER
from masthead.model.pagination import JsonRows, Page, PageRequest
from masthead.model.queries import CopyQuery
from masthead.model.resources import Copy
from masthead.model.timeline.summaries import CopyFacts
from masthead.model.types.enums import CopyStatus
from masthead.store.audit.trail import record_rows
from masthead.store.engine.interface import Connection, Ids, Reader, Row, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.events.sent_copies import find_to_send
from masthead.store.events.write import add_events
from masthead.store.pagination import AS_BYTES, PaginatedList, fetch_lines
from masthead.store.subscribers.conditions import is_of_subscriber


class CopyOfIssue(CopyFacts, frozen=True, kw_only=True):
    """The copy that a subscription has of an issue."""

    subscription_id: str
    issue_number: int


# Whether the copy `c` is not sent, and in no run: the condition of the index `copy_free`.
# Statements that begin with a subscription, or with ids, hide it from that index by IS TRUE
IS_FREE = "c.status = 'Not sent' AND c.dispatch_id IS NULL"

COPIES = PaginatedList(
    table="copy",
    alias="c",
    conditions={
        "subscription": "c.subscription_id = :subscription",
        "subscriber": is_of_subscriber("c.subscriber_id"),
        # by its number, which is 30 bytes shorter than its id in every index
        "issue": (
            "c.issue_number ="
            " (SELECT number FROM issue WHERE account_id = :account_id AND id = :issue)"
        ),
        "country": "c.country = :country",
        "status": "c.status = :status",
    },
    selective=("subscription", "subscriber"),
    last="status",
    last_values=[f"c.status = '{status}'" for status in CopyStatus],
)

_decoder = msgspec.json.Decoder(Page[Copy])

# A copy as JSON, like `resources.Copy`. A sub-select for the name: with a join, the databases might
# start from the issues, or sort by them. `format` copies each part once, `||` all that is before it
_ITEM = """
    format(
        '{"id":%s,"date_sent":%s,"status":"%s","country":"%s",'
        || '"issue":{"id":"%s","number":%s,"name":%s},'
        || '"subscriber_id":"%s","subscription_id":"%s"}',
        c.id,
        coalesce('"' || c.date_sent || '"', 'null'),
        c.status,
        c.country,
        c.issue_id,
        c.issue_number,
        (
            SELECT json_quote(name)
            FROM issue
            WHERE account_id = :account_id AND number = c.issue_number
        ),
        c.subscriber_id,
        c.subscription_id
    )
"""

_ONE = "(SELECT * FROM copy WHERE account_id = :account_id AND id = :id)"

# The copies `c` that `mark_sent` changes
_CHANGED = """
    c.id IN (:ids... AS bigint)
      AND c.status <> 'Cancelled'
      AND (
          c.status <> 'Sent'
          OR (:replaces_date AND c.date_sent IS DISTINCT FROM :sent_on)
      )
"""
# The same as entries of the audit trail
_SENT_ENTRIES = f"""
    SELECT
        c.id,
        '{{"status":"' || c.status
            || '","date_sent":' || coalesce('"' || c.date_sent || '"', 'null')
            || '}}' AS before,
        :after AS after
    FROM copy c
    WHERE c.account_id = :account_id AND {_CHANGED}
"""  # noqa: S608 - the condition above

_MARK_SENT = f"""
    UPDATE copy AS c
    SET status = 'Sent', date_sent = :sent_on, dispatch_id = NULL
    WHERE c.account_id = :account_id AND {_CHANGED}
"""  # noqa: S608 - the condition above

_ITEMS = {
    dialect: f"""
        SELECT count(*) AS count, {as_bytes.format("group_concat(item, ',')")} AS items
        FROM (
            SELECT {_ITEM} AS item
            FROM copy c
            WHERE c.account_id = :account_id
              AND c.id IN (:ids... AS bigint)
              AND c.status <> 'Cancelled'
            ORDER BY c.id
        ) AS copies
    """  # noqa: S608 - the texts above
    for dialect, as_bytes in AS_BYTES.items()
}


async def list_copies(
    db: Reader, account_id: int, query: CopyQuery, page: PageRequest
) -> Page[Copy]:
    """Copies of an account, newest first. Queries: one."""
    return _decoder.decode((await list_copies_json(db, account_id, query, page)).page(page))


async def list_copies_json(
    db: Reader, account_id: int, query: CopyQuery, page: PageRequest
) -> JsonRows:
    """Copies of an account as JSON, which the database writes, newest first. Queries: one."""
    filters = COPIES.filters_of(query)
    table, parameters = COPIES.page(filters, after=page.after_number, fetch=page.fetch)
    aside = COPIES.may_take_long(filters)
    async with db.read(aside=True) if aside else nullcontext(db) as connection:
        return await fetch_lines(connection, account_id, "c", _ITEM, table, parameters)


async def get_copy_json(db: Connection, account_id: int, id: int) -> bytes:
    """A copy as JSON. Queries: one. Raises: NotFound, also for a number of any size."""
    if id > LAST_NUMBER:
        raise NotFound("copy", id)
    found = await fetch_lines(db, account_id, "c", _ITEM, _ONE, {"id": id})
    if not found.keys:
        raise NotFound("copy", id)
    return found.lines


async def list_copies_of_issues(
    db: Connection, account_id: int, subscription_ids: Collection[str], numbers: Collection[int]
) -> list[CopyOfIssue]:
    """The copies that subscriptions have of some issues. Queries: one. Index: copy_once."""
    return await fetch_all(
        db,
        """
        SELECT id, subscription_id, issue_number, status, date_sent AS sent_on, dispatch_id
        FROM copy
        WHERE account_id = :account_id
          AND subscription_id IN (:ids...)
          AND issue_number IN (:numbers... AS bigint)
        """,
        {"account_id": account_id, "ids": list(subscription_ids), "numbers": list(numbers)},
        into=CopyOfIssue,
    )


async def find_issue_id(db: Connection, account_id: int, id: int) -> str | None:
    """The id of a copy's issue; None if there is no such copy. Queries: one."""
    row = await db.fetch_one(
        "SELECT issue_id FROM copy WHERE account_id = :account_id AND id = :id",
        {"account_id": account_id, "id": id},
    )
    return str(row["issue_id"]) if row else None


async def insert_copies(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add copies. rows: by column name. Queries: a few, for any number of rows."""
    await tx.insert_rows("copy", [{**row, "account_id": account_id} for row in rows])


async def update_country(
    tx: Transaction, account_id: int, subscription_id: str, country: str
) -> None:
    """Set the country of a subscription's copies."""
    await tx.execute(
        """
        UPDATE copy
        SET country = :country
        WHERE account_id = :account_id AND subscription_id = :subscription
        """,
        {"account_id": account_id, "subscription": subscription_id, "country": country},
    )


# Below, a status is not compared by "= 'Not sent'": SQLite would read all copies with that status


async def cancel_unsent(
    tx: Transaction, account_id: int, subscription_ids: Collection[str]
) -> list[int]:
    """Cancel the copies of subscriptions that are not sent; returns their ids. Queries: one.

    They leave their dispatch run.
    """
    rows = await tx.fetch_all(
        """
        UPDATE copy
        SET status = 'Cancelled', dispatch_id = NULL
        WHERE account_id = :account_id
          AND subscription_id IN (:ids...)
          AND status NOT IN ('Sent', 'Cancelled')
        RETURNING id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
    )
    return sorted(row["id"] for row in rows)


async def mark_sent(
    tx: Transaction, account_id: int, ids: Ids, sent_on: date | None | UnsetType, *, by: Actor
) -> str:
    """Mark copies as sent, except cancelled ones, and record it in the audit trail.

    Returns the subscriptions of those that were not sent before, as `CopiesToSend` has them.
    Copies that change leave their dispatch run; see `line_states.leave_marked`.
    sent_on: None for no date; absent: no date, but copies that were sent before keep theirs.
    Queries: four, for one copy and for 10,000.
    """
    day = None if sent_on is UNSET else sent_on
    after = msgspec.json.encode({"status": "Sent", "date_sent": day}).decode()
    parameters = {
        "account_id": account_id,
        "ids": ids,
        "sent_on": day,
        "replaces_date": sent_on is not UNSET,
    }
    changed = await find_to_send(tx, account_id, _CHANGED, parameters, sent_on=day)
    if not changed.events:
        return ""
    await add_events(tx, account_id, by, changed.events)
    await record_rows(
        tx, account_id, by, EntryType.COPY_MARK_SENT, _SENT_ENTRIES, {**parameters, "after": after}
    )
    await tx.execute(_MARK_SENT, parameters)
    return changed.subscriptions


async def list_json(db: Connection, account_id: int, ids: Ids) -> tuple[int, Raw]:
    """The copies with those ids that are not cancelled: how many, and as a JSON list by id.

    The database writes the JSON, so that 10,000 copies are one row.
    """
    row = await db.fetch_one(_ITEMS[db.dialect], {"account_id": account_id, "ids": ids})
    assert row is not None
    return row["count"], Raw(b"[%b]" % (row["items"] or b""))
