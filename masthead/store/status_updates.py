"""What follows from a change, set-based: which periods are complete, and which states are due.

The rules are those of `model.lifecycle`: the states are spelled out of them here, and a test holds
what SQL says of periods to what they say. decision 0020.
"""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_events import EventType
from masthead.model.lifecycle import derive_status, status_before_completion
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.store.audit.trail import record_rows
from masthead.store.engine.interface import Connection, Ids, Row, Transaction

# `is_period_complete`: cheapest first. Not "= 'Not sent'", for which SQLite would read all copies
# of the account in that state
COMPLETE = (
    "CASE WHEN p.period_end IS NOT NULL THEN p.period_end < :day"
    " WHEN EXISTS (SELECT 1 FROM copy c WHERE c.account_id = p.account_id"
    " AND c.subscription_id = p.subscription_id AND c.period_id = p.id"
    " AND c.status NOT IN ('Sent', 'Cancelled')) THEN false"
    " ELSE p.length = (SELECT count(*) FROM issue i WHERE i.account_id = p.account_id"
    " AND i.number BETWEEN p.first_issue AND p.last_issue) END"
)

# `derive_status` where all periods are complete; where one is not, nothing moves
_CASES = "".join(
    f" WHEN s.status = '{before}' AND s.type = '{type}' AND s.is_recurring = {is_recurring}"
    f" THEN '{after}'"
    for before in SubscriptionStatus
    for type in SubscriptionType
    for is_recurring in (True, False)
    if (
        after := derive_status(
            before, type=type, is_recurring=is_recurring, periods_complete=[True]
        )
    )
    != before
)
DUE = f"CASE{_CASES} ELSE s.status END"

_MOVED = (
    " FROM subscription s WHERE s.account_id = :account_id AND s.id IN (:ids...)"
    f" AND s.status <> {DUE}"
)

_FLIPS = (
    "SELECT count(*) AS count, json_group_array(p.id) AS periods,"  # noqa: S608 - the constant texts here
    " json_group_array(p.subscription_id) AS subscriptions FROM period p"
    " WHERE p.account_id = :account_id AND p.subscription_id IN (:ids...)"
    f" AND p.is_complete <> {COMPLETE}"
)

_MOVES = (
    "SELECT count(*) AS count, json_group_array(s.id) AS subscriptions,"  # noqa: S608 - the constant texts here
    f" json_group_array(s.subscriber_id) AS subscribers{_MOVED} AND NOT EXISTS"
    " (SELECT 1 FROM period p WHERE p.account_id = s.account_id"
    " AND p.subscription_id = s.id AND NOT p.is_complete)"
)

_TOLD = (
    "SELECT s.id, '{\"status\":\"' || s.status || '\"}' AS before,"
    f" '{{\"status\":\"' || {DUE} || '\"}}' AS after{_MOVED}"
)

_MOVE = (
    f"UPDATE subscription AS s SET status = {DUE}"  # noqa: S608 - the constant texts here
    " WHERE s.account_id = :account_id AND s.id IN (:ids...)"
)

# `status_before_completion`
REOPENED = (
    "CASE"
    + "".join(
        f" WHEN s.status = '{before}' AND s.is_recurring = {is_recurring} THEN '{after}'"
        for before in SubscriptionStatus
        for is_recurring in (True, False)
        if (after := status_before_completion(before, is_recurring=is_recurring)) != before
    )
    + " ELSE s.status END"
)

_WRONG = f"""
    FROM subscription s
    WHERE s.account_id = :account_id
      AND s.id IN (:ids...)
      AND s.status <> {REOPENED}
    """

_FIND_REOPENED = f"""
    SELECT count(*) AS count,
           json_group_array(s.id) AS subscriptions,
           json_group_array(s.subscriber_id) AS subscribers
    {_WRONG}
    """

_TOLD_REOPENED = f"""
    SELECT s.id,
           '{{"status":"' || s.status || '"}}' AS before,
           '{{"status":"' || {REOPENED} || '"}}' AS after
    {_WRONG}
    """

_REOPEN = f"""
    UPDATE subscription AS s
    SET status = {REOPENED}
    WHERE s.account_id = :account_id AND s.id IN (:ids...)
    """  # noqa: S608 - the constant texts here


async def find_flips(db: Connection, account_id: int, ids: Ids, *, day: date) -> Row | None:
    """The periods of subscriptions whose `is_complete` is not what follows from the data.

    `periods` and `subscriptions`: their ids, as JSON; None if there are none. Queries: one.
    """
    row = await db.fetch_one(_FLIPS, {"account_id": account_id, "ids": ids, "day": day})
    return row if row and row["count"] else None


async def flip_periods(tx: Transaction, account_id: int, flips: Row) -> None:
    """Turn `is_complete` of the periods that `find_flips` found. Queries: one."""
    await tx.execute(
        "UPDATE period SET is_complete = NOT is_complete"
        " WHERE account_id = :account_id AND id IN (:periods... AS bigint)",
        {"account_id": account_id, "periods": flips["periods"]},
    )


async def find_moves(db: Connection, account_id: int, ids: Ids) -> Row | None:
    """Those of the subscriptions whose status is not the one that is due.

    `subscriptions` and `subscribers`: their ids, as JSON; None if there are none. Queries: one.
    """
    row = await db.fetch_one(_MOVES, {"account_id": account_id, "ids": ids})
    return row if row and row["count"] else None


async def move_subscriptions(tx: Transaction, account_id: int, moves: Row, *, by: Actor) -> None:
    """Give the subscriptions that `find_moves` found their status, on record. Queries: three."""
    parameters = {"account_id": account_id, "ids": moves["subscriptions"]}
    await record_rows(tx, account_id, by, EventType.SUBSCRIPTION_UPDATE_STATUS, _TOLD, parameters)
    await tx.execute(_MOVE, parameters)


async def find_reopened(db: Connection, account_id: int, ids: Ids) -> Row | None:
    """The memberships with a period that has not ended, but with a status that says otherwise.

    `count`, and `subscriptions` and `subscribers`: their ids, as JSON; None if there are none.
    """
    row = await db.fetch_one(_FIND_REOPENED, {"account_id": account_id, "ids": ids})
    return row if row and row["count"] else None


async def reopen_subscriptions(tx: Transaction, account_id: int, moves: Row, *, by: Actor) -> None:
    """Restore and record the status of the memberships that `find_reopened` found."""
    parameters = {"account_id": account_id, "ids": moves["subscriptions"]}
    await record_rows(tx, account_id, by, EventType.SUBSCRIPTION_REOPEN, _TOLD_REOPENED, parameters)
    await tx.execute(_REOPEN, parameters)
