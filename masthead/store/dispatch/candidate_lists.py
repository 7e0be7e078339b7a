"""The addresses that a run would take, and which of them changed in the last days."""

from datetime import datetime

from masthead.model.audit_events import EventType
from masthead.model.dispatch.runs import DispatchSelection
from masthead.store.dispatch.candidates import (
    IS_CLAIMED_COPY_SENT,
    IS_ON_HOLD,
    IS_SELECTED,
    candidate_parameters,
)
from masthead.store.engine.interface import Connection, Row

# Whether a run takes a copy or a claim of the subscription `s`
_IS_TAKEN = f"""(
              (
                  :takes_copies
                  AND EXISTS (
                      SELECT 1
                      FROM copy c
                      WHERE c.account_id = s.account_id
                        AND c.subscription_id = s.id
                        AND c.issue_number = :issue_number
                        AND c.status NOT IN ('Sent', 'Cancelled')
                        AND c.dispatch_id IS NULL
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
          )
          AND {IS_SELECTED}
          AND NOT {IS_ON_HOLD}"""  # noqa: S608 - the conditions are constants of this module

# The fields in `after` are names in quotes before a colon, which no value can contain
_HAS_ADDRESS = " OR ".join(
    f"""a.after LIKE '%"{field}":%'"""
    for field in ("company", "address1", "address2", "city", "state", "postcode", "country")
)

_LIST_CHANGED = f"""
    SELECT
        s.id,
        s.subscriber_id,
        s.first_name,
        s.last_name,
        s.company,
        max(a.happened_at) AS changed_at,
        count(*) OVER () AS count
    FROM audit a
    CROSS JOIN subscription s
    WHERE a.account_id = :account_id
      AND a.action = :action
      AND a.id > :before
      AND ({_HAS_ADDRESS})
      AND s.account_id = a.account_id
      AND s.id = a.subject_id
      AND {_IS_TAKEN}
    GROUP BY s.id, s.subscriber_id, s.first_name, s.last_name, s.company
    ORDER BY max(a.id) DESC
    LIMIT :limit
"""  # noqa: S608 - the conditions are constants of this module

_COUNT_MOVED = f"""
    SELECT count(*) AS count
    FROM delivery_report m
    CROSS JOIN subscription s
    WHERE m.account_id = :account_id
      AND m.status = 'open'
      AND m.kind = 'moved'
      AND s.account_id = m.account_id
      AND s.id = m.subscription_id
      AND {_IS_TAKEN}
"""  # noqa: S608 - the conditions are constants of this module

# Only of copies that go by post
_ADDRESS = """
        s.id AS subscription_id,
        s.subscriber_id,
        s.first_name,
        s.last_name,
        s.company,
        s.address1,
        s.address2,
        s.city,
        s.state,
        s.postcode,
        s.country
"""

_LIST_COPIES = f"""
    SELECT
        c.id AS copy_id,
        c.issue_number,
        {_ADDRESS}
    FROM copy c
    JOIN subscription s ON s.account_id = c.account_id AND s.id = c.subscription_id
    WHERE c.account_id = :account_id
      AND c.issue_number = :issue_number
      AND c.status = 'Not sent'
      AND c.id > :after
      AND c.dispatch_id IS NULL
      AND :takes_copies
      AND s.medium <> 'Digital'
      AND {IS_SELECTED}
      AND NOT {IS_ON_HOLD}
    ORDER BY c.id
    LIMIT :limit
"""  # noqa: S608 - the conditions are constants of this module

_LIST_CLAIMS = f"""
    SELECT
        k.copy_id,
        k.issue_number,
        {_ADDRESS}
    FROM claim k
    JOIN subscription s ON s.account_id = k.account_id AND s.id = k.subscription_id
    WHERE k.account_id = :account_id
      AND k.issue_number = :issue_number
      AND k.status = 'open'
      AND {IS_CLAIMED_COPY_SENT}
      AND s.medium <> 'Digital'
      AND {IS_SELECTED}
      AND NOT {IS_ON_HOLD}
    ORDER BY k.id
"""  # noqa: S608 - the conditions are constants of this module


async def list_copies(
    db: Connection,
    account_id: int,
    issue_number: int,
    selection: DispatchSelection,
    *,
    after: int,
    limit: int,
) -> list[Row]:
    """The addresses of the copies by post that a run would take, by copy id. Queries: one.

    after: the last id of the batch before.
    """
    return await db.fetch_all(
        _LIST_COPIES,
        {
            **candidate_parameters(account_id, issue_number, selection),
            "after": after,
            "limit": limit,
        },
    )


async def list_claims(
    db: Connection, account_id: int, issue_number: int, selection: DispatchSelection
) -> list[Row]:
    """The addresses of the replacements by post that a run would take. Queries: one."""
    return await db.fetch_all(
        _LIST_CLAIMS, candidate_parameters(account_id, issue_number, selection)
    )


async def list_changed(
    db: Connection,
    account_id: int,
    issue_number: int,
    selection: DispatchSelection,
    *,
    since: datetime,
    limit: int,
) -> list[Row]:
    """The subscriptions of a run whose address changed since a moment, newest change first.

    Each has the names, `changed_at`, and the `count` of all of them. Queries: two, which read the
    changes since the moment. Index: audit_by_action.
    """
    last = await db.fetch_one(
        """
        SELECT id
        FROM audit
        WHERE account_id = :account_id AND action = :action AND happened_at < :since
        ORDER BY id DESC
        LIMIT 1
        """,
        {"account_id": account_id, "action": EventType.SUBSCRIPTION_UPDATE, "since": since},
    )
    return await db.fetch_all(
        _LIST_CHANGED,
        {
            **candidate_parameters(account_id, issue_number, selection),
            "action": EventType.SUBSCRIPTION_UPDATE,
            "before": last["id"] if last else 0,
            "limit": limit,
        },
    )


async def count_moved(
    db: Connection, account_id: int, issue_number: int, selection: DispatchSelection
) -> int:
    """How many new addresses of readers of a run wait for acceptance. Queries: one."""
    row = await db.fetch_one(
        _COUNT_MOVED, candidate_parameters(account_id, issue_number, selection)
    )
    assert row is not None
    return int(row["count"])
