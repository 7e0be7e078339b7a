"""The addresses that a run would take, and which of them changed in the last days."""

from datetime import datetime

from masthead.model.audit_entries import EntryType
from masthead.model.dispatch.preview import CandidateLine
from masthead.model.dispatch.runs import DispatchSelection
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.store.addresses.in_force import COLUMNS
from masthead.store.copies import IS_FREE
from masthead.store.dispatch.candidates import (
    IS_CLAIMED_COPY_SENT,
    IS_SELECTED,
    JOIN_CHANGE,
    MUST_WAIT,
    ChangedSubscription,
    candidate_parameters,
)
from masthead.store.dispatch.grace_candidates import is_grace_due
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# Whether a run takes a copy or a claim of the subscription `s`
_IS_TAKEN = f"""(
              (
                  :takes_copies
                  AND EXISTS (
                      SELECT 1
                      FROM copy c
                      WHERE c.account_id = :account_id
                        AND c.subscription_id = s.id
                        AND c.issue_number = :issue_number
                        AND {IS_FREE}
                  )
              )
              OR s.id IN (
                  SELECT k.subscription_id
                  FROM claim k
                  WHERE k.account_id = :account_id
                    AND k.issue_number = :issue_number
                    AND k.status = 'open'
                    AND {IS_CLAIMED_COPY_SENT}
              )
              OR (:takes_copies AND {is_grace_due("CAST(:issue_number AS bigint)")})
          )
          AND {IS_SELECTED}
          AND NOT {MUST_WAIT}"""  # noqa: S608 - the conditions are constants of this module

# The fields in `after` are names in quotes before a colon, which no value can contain
_HAS_ADDRESS = " OR ".join(
    f"""e.after LIKE '%"{field}":%'""" for field in ("company", *ADDRESS_FIELDS)
)

# By an edit of the subscription, or by a change that was planned
_LIST_CHANGED = f"""
    SELECT
        s.id,
        s.subscriber_id,
        s.first_name,
        s.last_name,
        s.company,
        max(x.changed_at) AS changed_at,
        count(*) OVER () AS count
    FROM (
        SELECT e.subject_id AS subscription_id, e.happened_at AS changed_at, 1 AS own
        FROM audit e
        WHERE e.account_id = :account_id
          AND e.action = :action
          AND e.id > :before
          AND ({_HAS_ADDRESS})
        UNION ALL
        SELECT p.subscription_id, p.created_at, 0
        FROM address_change p
        WHERE p.account_id = :account_id
          AND p.status = 'planned'
          AND p.first_issue <= :issue_number
          AND coalesce(p.last_issue, :issue_number) >= :issue_number
          AND p.created_at >= :since
    ) AS x
    CROSS JOIN subscription s
    {JOIN_CHANGE}
    WHERE s.account_id = :account_id
      AND s.id = x.subscription_id
      AND (x.own = 0 OR a.id IS NULL)
      AND {_IS_TAKEN}
    GROUP BY s.id, s.subscriber_id, s.first_name, s.last_name, s.company
    ORDER BY max(x.changed_at) DESC, s.id DESC
    LIMIT :limit
"""  # noqa: S608 - the conditions are constants of this module

_COUNT_MOVED = f"""
    SELECT count(*) AS count
    FROM delivery_report m
    CROSS JOIN subscription s
    {JOIN_CHANGE}
    WHERE m.account_id = :account_id
      AND m.status = 'open'
      AND m.kind = 'moved'
      AND s.account_id = m.account_id
      AND s.id = m.subscription_id
      AND {_IS_TAKEN}
"""  # noqa: S608 - the conditions are constants of this module

# Only of copies that go by post
_ADDRESS = f"""
        s.id AS subscription_id,
        s.subscriber_id,
        {COLUMNS}
"""

_FIND_BOUND = f"""
    SELECT c.id
    FROM copy c
    WHERE c.account_id = :account_id
      AND c.issue_number = :issue_number
      AND {IS_FREE}
      AND c.id > :after
    ORDER BY c.id
    LIMIT 1
    OFFSET :size
"""  # noqa: S608 - the condition is a constant

_LIST_COPIES = f"""
    SELECT
        c.id AS copy_id,
        c.issue_number,
        {_ADDRESS}
    FROM copy c
    JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
    {JOIN_CHANGE}
    WHERE c.account_id = :account_id
      AND c.issue_number = :issue_number
      AND {IS_FREE}
      AND c.id > :after
      AND c.id <= :until
      AND :takes_copies
      AND s.medium <> 'Digital'
      AND {IS_SELECTED}
      AND NOT {MUST_WAIT}
    ORDER BY c.id
"""  # noqa: S608 - the conditions are constants of this module

_LIST_CLAIMS = f"""
    SELECT
        k.copy_id,
        k.issue_number,
        {_ADDRESS}
    FROM claim k
    JOIN subscription s ON s.account_id = k.account_id AND s.id = k.subscription_id
    {JOIN_CHANGE}
    WHERE k.account_id = :account_id
      AND k.issue_number = :issue_number
      AND k.status = 'open'
      AND {IS_CLAIMED_COPY_SENT}
      AND s.medium <> 'Digital'
      AND {IS_SELECTED}
      AND NOT {MUST_WAIT}
    ORDER BY k.id
"""  # noqa: S608 - the conditions are constants of this module


async def list_copies(
    db: Connection,
    account_id: int,
    issue_number: int,
    selection: DispatchSelection,
    *,
    after: int,
    until: int,
) -> list[CandidateLine]:
    """The addresses of the copies by post that a run would take, by copy id. Queries: one.

    after, until: of the ids between these. Not a number of lines: for 2,000 of them, PostgreSQL
    reads all subscriptions.
    """
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await fetch_all(
        db, _LIST_COPIES, {**parameters, "after": after, "until": until}, into=CandidateLine
    )


async def find_bound(
    db: Connection, account_id: int, issue_number: int, *, after: int, size: int
) -> int | None:
    """The id that follows a number of free copies of an issue; None if they are fewer.

    after: the id before them. Queries: one. Index: copy_free or copy_by_issue.
    """
    parameters = {"account_id": account_id, "issue_number": issue_number}
    row = await db.fetch_one(_FIND_BOUND, {**parameters, "after": after, "size": size})
    return None if row is None else int(row["id"])


async def list_claims(
    db: Connection, account_id: int, issue_number: int, selection: DispatchSelection
) -> list[CandidateLine]:
    """The addresses of the replacements by post that a run would take. Queries: one."""
    parameters = candidate_parameters(account_id, issue_number, selection)
    return await fetch_all(db, _LIST_CLAIMS, parameters, into=CandidateLine)


async def list_changed(
    db: Connection,
    account_id: int,
    issue_number: int,
    selection: DispatchSelection,
    *,
    since: datetime,
    limit: int,
) -> list[ChangedSubscription]:
    """The subscriptions of a run whose address changed since a moment, newest change first.

    Queries: two, which read the changes since the moment. Index: audit_by_action.
    """
    last = await db.fetch_one(
        """
        SELECT id
        FROM audit
        WHERE account_id = :account_id AND action = :action AND happened_at < :since
        ORDER BY id DESC
        LIMIT 1
        """,
        {"account_id": account_id, "action": EntryType.SUBSCRIPTION_UPDATE, "since": since},
    )
    return await fetch_all(
        db,
        _LIST_CHANGED,
        {
            **candidate_parameters(account_id, issue_number, selection),
            "action": EntryType.SUBSCRIPTION_UPDATE,
            "before": last["id"] if last else 0,
            "since": since,
            "limit": limit,
        },
        into=ChangedSubscription,
    )


async def count_moved(
    db: Connection, account_id: int, issue_number: int, selection: DispatchSelection
) -> int:
    """The number of new addresses in a run that wait for acceptance. Queries: one."""
    row = await db.fetch_one(
        _COUNT_MOVED, candidate_parameters(account_id, issue_number, selection)
    )
    assert row is not None
    return int(row["count"])
