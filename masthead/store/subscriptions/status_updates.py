"""The SQL of the status updates of subscriptions: complete periods, and the statuses that follow.

Each statement updates many rows. The statuses come from the rules in `model.subscriptions`; that a
period is complete is repeated in SQL, and a test compares the two. decision 0020.
"""

from collections.abc import Callable
from datetime import date

import msgspec
from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType
from masthead.model.events.types import PublicEventType
from masthead.model.subscriptions.lifecycle import derive_status, status_before_completion
from masthead.model.types.enums import SubscriptionStatus, SubscriptionType
from masthead.store.audit.trail import record_rows
from masthead.store.engine.interface import Connection, Ids, Transaction
from masthead.store.engine.rows import to_struct
from masthead.store.events.write import NewEvent, add_events


class ChangedPeriods(Struct, frozen=True):
    """Periods whose `is_complete` is out of date, and their subscriptions: their ids, as JSON."""

    periods: str
    subscriptions: str


class ChangedSubscriptions(Struct, frozen=True):
    """Subscriptions whose status changes, and their subscribers: their ids, as JSON."""

    count: int
    subscriptions: str
    subscribers: str


# CASE is `is_period_complete`. Issues are counted first, in an index: most periods lack some, and
# their copies are then not read. Not "= 'Not sent'", for which SQLite would read all copies with
# that status
FIND_CHANGED_PERIODS = """
    SELECT
        count(*) AS count,
        json_group_array(p.id) AS periods,
        json_group_array(p.subscription_id) AS subscriptions
    FROM period p
    WHERE p.account_id = :account_id
      AND p.subscription_id IN (:ids...)
      AND p.is_complete <> CASE
          WHEN p.period_end IS NOT NULL THEN p.period_end < :day
          WHEN p.length = (
              SELECT count(*)
              FROM issue i
              WHERE i.account_id = :account_id
                AND i.number BETWEEN p.first_issue AND p.last_issue
          ) THEN NOT EXISTS (
              SELECT 1
              FROM copy c
              WHERE c.account_id = :account_id
                AND c.subscription_id = p.subscription_id
                AND c.period_id = p.id
                AND c.status NOT IN ('Sent', 'Cancelled')
          )
          ELSE false
      END
"""


def _case(rule: Callable[[SubscriptionStatus, SubscriptionType, bool], SubscriptionStatus]) -> str:
    """A rule of `model.subscriptions.lifecycle` as SQL: one WHEN for each change of status."""
    cases = [
        f"WHEN s.status = '{status}' AND s.type = '{type}' AND s.is_recurring = {is_recurring}"
        f" THEN '{after}'"
        for status in SubscriptionStatus
        for type in SubscriptionType
        for is_recurring in (True, False)
        if (after := rule(status, type, is_recurring)) != status
    ]
    return f"CASE {' '.join(cases)} ELSE s.status END"


# The status of a subscription whose periods are all complete
_SETTLED = _case(
    lambda status, type, is_recurring: derive_status(
        status, type=type, is_recurring=is_recurring, periods_complete=[True]
    )
)
_REOPENED = _case(
    lambda status, _, is_recurring: status_before_completion(status, is_recurring=is_recurring)
)


def _find(new_status: str, condition: str) -> str:
    return f"""
        SELECT
            count(*) AS count,
            json_group_array(s.id) AS subscriptions,
            json_group_array(s.subscriber_id) AS subscribers
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.id IN (:ids...)
          AND s.status <> {new_status}
          AND {condition}
    """  # noqa: S608 - the CASE and the condition are constants of this module


def _entries(new_status: str) -> str:
    return f"""
        SELECT
            s.id,
            '{{"status":"' || s.status || '"}}' AS before,
            '{{"status":"' || {new_status} || '"}}' AS after
        FROM subscription s
        WHERE s.account_id = :account_id AND s.id IN (:ids...)
    """  # noqa: S608 - the CASE is a constant of this module


def _update(new_status: str) -> str:
    return f"""
        UPDATE subscription AS s
        SET status = {new_status}
        WHERE s.account_id = :account_id AND s.id IN (:ids...)
    """  # noqa: S608 - the CASE is a constant of this module


_ALL_PERIODS_COMPLETE = """NOT EXISTS (
              SELECT 1
              FROM period p
              WHERE p.account_id = :account_id
                AND p.subscription_id = s.id
                AND NOT p.is_complete
          )"""
FIND_SETTLED = _find(_SETTLED, _ALL_PERIODS_COMPLETE)
SETTLED_ENTRIES = _entries(_SETTLED)
SETTLE = _update(_SETTLED)
FIND_REOPENED = _find(_REOPENED, "true")
FIND_COMPLETED_TOO_EARLY = _find(
    _REOPENED,
    """s.type = 'subscription'
          AND s.status = 'Complete'
          AND EXISTS (
              SELECT 1
              FROM period p
              WHERE p.account_id = :account_id
                AND p.subscription_id = s.id
                AND NOT p.is_complete
          )""",
)
REOPENED_ENTRIES = _entries(_REOPENED)
REOPEN = _update(_REOPENED)


async def _add_events(
    tx: Transaction, account_id: int, by: Actor, type: PublicEventType, found: ChangedSubscriptions
) -> None:
    """Let the subscriptions that were found be events."""
    ids = msgspec.json.decode(found.subscriptions, type=list[str])
    await add_events(tx, account_id, by, [NewEvent(type, id) for id in ids])


async def find_changed_periods(
    db: Connection, account_id: int, ids: Ids, *, day: date
) -> ChangedPeriods | None:
    """The periods of subscriptions whose `is_complete` is out of date, if any. Queries: one."""
    row = await db.fetch_one(
        FIND_CHANGED_PERIODS, {"account_id": account_id, "ids": ids, "day": day}
    )
    return to_struct(row, ChangedPeriods) if row and row["count"] else None


async def update_period_completion(
    tx: Transaction, account_id: int, changed: ChangedPeriods
) -> None:
    """Invert `is_complete` of the periods from `find_changed_periods`. Queries: one."""
    await tx.execute(
        """
        UPDATE period
        SET is_complete = NOT is_complete
        WHERE account_id = :account_id AND id IN (:periods... AS bigint)
        """,
        {"account_id": account_id, "periods": changed.periods},
    )


async def find_settled(db: Connection, account_id: int, ids: Ids) -> ChangedSubscriptions | None:
    """The given subscriptions whose status changes because all their periods are complete.

    None if there are none. Queries: one.
    """
    return await _find_changed(db, account_id, FIND_SETTLED, ids)


async def _find_changed(
    db: Connection, account_id: int, sql: str, ids: Ids
) -> ChangedSubscriptions | None:
    row = await db.fetch_one(sql, {"account_id": account_id, "ids": ids})
    return to_struct(row, ChangedSubscriptions) if row and row["count"] else None


async def settle_subscriptions(
    tx: Transaction, account_id: int, found: ChangedSubscriptions, *, by: Actor
) -> None:
    """Update and record the status of the subscriptions from `find_settled`. Queries: three."""
    parameters = {"account_id": account_id, "ids": found.subscriptions}
    await _add_events(tx, account_id, by, PublicEventType.SUBSCRIPTION_COMPLETED, found)
    await record_rows(
        tx, account_id, by, EntryType.SUBSCRIPTION_UPDATE_STATUS, SETTLED_ENTRIES, parameters
    )
    await tx.execute(SETTLE, parameters)


async def find_reopened(db: Connection, account_id: int, ids: Ids) -> ChangedSubscriptions | None:
    """The given memberships whose status says that they ended, although they have not, if any."""
    return await _find_changed(db, account_id, FIND_REOPENED, ids)


async def find_completed_too_early(
    db: Connection, account_id: int, ids: Ids
) -> ChangedSubscriptions | None:
    """The given subscriptions that are Complete although a copy is no longer sent. Queries: one.

    Like `find_reopened`; not for memberships, which do not depend on copies.
    """
    return await _find_changed(db, account_id, FIND_COMPLETED_TOO_EARLY, ids)


async def reopen_subscriptions(
    tx: Transaction, account_id: int, found: ChangedSubscriptions, *, by: Actor
) -> None:
    """Restore and record the status of subscriptions whose end was recorded wrongly.

    found: from `find_reopened` or `find_completed_too_early`. Queries: three.
    """
    parameters = {"account_id": account_id, "ids": found.subscriptions}
    await _add_events(tx, account_id, by, PublicEventType.SUBSCRIPTION_REOPENED, found)
    await record_rows(
        tx, account_id, by, EntryType.SUBSCRIPTION_REOPEN, REOPENED_ENTRIES, parameters
    )
    await tx.execute(REOPEN, parameters)
