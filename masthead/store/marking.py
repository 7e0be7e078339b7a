"""Copies that went out: marked, put on record and shown by statements that pass no row through us.

10,000 copies are a handful of statements, and the answer is one text that SQL has put together.
"""

from datetime import date

import msgspec
from msgspec import UNSET, Raw, UnsetType

from masthead.model.actors import Actor
from masthead.model.audit_events import EventType
from masthead.store.audit.trail import record_rows
from masthead.store.engine.interface import Connection, Ids, Transaction

_NAMED = " FROM copy c WHERE c.account_id = :account_id AND c.id IN (:ids... AS bigint)"
_NOT_CANCELLED = " AND c.status <> 'Cancelled'"
# Not "= 'Not sent'", for which SQLite would read all copies of the account in that state
_WAITING = " AND c.status NOT IN ('Sent', 'Cancelled')"

_BEFORE = (
    '\'{"status":"\' || c.status || \'","date_sent":\''
    " || coalesce('\"' || c.date_sent || '\"', 'null') || '}'"
)

_ITEM = (
    "'{\"id\":' || c.id || ',\"date_sent\":' || coalesce('\"' || c.date_sent || '\"', 'null')"
    ' || \',"status":"\' || c.status || \'","country":"\' || c.country'
    ' || \'","issue":{"id":"\' || c.issue_id || \'","number":\' || c.issue_number'
    ' || \',"name":\' || json_quote(i.name) || \'},"subscriber_id":"\' || c.subscriber_id'
    ' || \'","subscription_id":"\' || c.subscription_id || \'"}\''
)

_MARKED = (
    "SELECT count(*) AS count, group_concat(item, ',') AS items FROM"  # noqa: S608 - the constant texts here
    f" (SELECT {_ITEM} AS item FROM copy c"
    " JOIN issue i ON i.account_id = c.account_id AND i.id = c.issue_id"
    " WHERE c.account_id = :account_id AND c.id IN (:ids... AS bigint)"
    f"{_NOT_CANCELLED} ORDER BY c.id) AS marked"
)


def _changing(sent_on: date | None | UnsetType) -> str:
    """Which of the named copies a mark changes: a day that is not given leaves the sent ones."""
    if sent_on is UNSET:
        return _NAMED + _WAITING
    other = "c.date_sent IS NOT NULL"
    if sent_on is not None:
        other = "c.date_sent IS NULL OR c.date_sent <> :sent_on"
    return f"{_NAMED}{_NOT_CANCELLED} AND (c.status <> 'Sent' OR {other})"


async def find_waiting(db: Connection, account_id: int, ids: Ids) -> str | None:
    """The subscriptions of those copies that have not been sent, as JSON, if any. Queries: one."""
    row = await db.fetch_one(
        "SELECT count(*) AS count, json_group_array(DISTINCT c.subscription_id) AS subscriptions"
        + _NAMED
        + _WAITING,
        {"account_id": account_id, "ids": ids},
    )
    return row["subscriptions"] if row and row["count"] else None


async def list_waiting_of_issue(
    db: Connection, account_id: int, number: int, *, most: int
) -> tuple[int, str]:
    """Copies of an issue that have not been sent: how many, and their ids as JSON. Queries: one."""
    row = await db.fetch_one(
        "SELECT count(*) AS count, json_group_array(c.id) AS ids FROM"
        " (SELECT c.id FROM copy c WHERE c.account_id = :account_id AND c.issue_number = :number"
        " AND c.status = 'Not sent' ORDER BY c.id LIMIT :most) AS c",
        {"account_id": account_id, "number": number, "most": most},
    )
    assert row is not None
    return row["count"], row["ids"]


async def mark_sent(
    tx: Transaction, account_id: int, ids: Ids, sent_on: date | None | UnsetType, *, by: Actor
) -> None:
    """Mark copies as sent, those that are cancelled excepted, and put it on record.

    sent_on: None for no date; absent: none either, but what was sent before keeps its own.
    Queries: three.
    """
    changing, day = _changing(sent_on), None if sent_on is UNSET else sent_on
    after = msgspec.json.encode({"status": "Sent", "date_sent": day}).decode()
    parameters = {"account_id": account_id, "ids": ids, "sent_on": day}
    added = await record_rows(
        tx,
        account_id,
        by,
        EventType.COPY_MARK_SENT,
        f"SELECT c.id, {_BEFORE} AS before, :after AS after" + changing,
        {**parameters, "after": after},
    )
    if added:
        await tx.execute(
            "UPDATE copy SET status = 'Sent', date_sent = :sent_on"  # noqa: S608 - our own texts
            " WHERE account_id = :account_id AND id IN (SELECT c.id" + changing + ")",
            parameters,
        )


async def list_marked(db: Connection, account_id: int, ids: Ids) -> tuple[int, Raw]:
    """The copies with those ids that are not cancelled: how many, and a JSON list by id."""
    row = await db.fetch_one(_MARKED, {"account_id": account_id, "ids": ids})
    assert row is not None
    return row["count"], Raw(f"[{row['items'] or ''}]".encode())
