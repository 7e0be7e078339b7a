"""Claims: the rows, their list, and how many there are by issue and country."""

from collections.abc import Collection, Mapping
from datetime import UTC, tzinfo
from typing import Any

from masthead.model.claims.inputs import ClaimQuery
from masthead.model.claims.rules import Claim, ClaimCount, ClaimStatus, ReplacementPolicy
from masthead.model.clock import now
from masthead.model.errors import NotFound
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.resources import IssueRef
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_all, insert_row, to_struct
from masthead.store.pagination import PaginatedList, fetch_page
from masthead.store.subscribers.conditions import is_of_subscriber
from masthead.store.update_statement import update_row

CLAIMS = PaginatedList(
    table="claim",
    alias="k",
    conditions={
        "copy": "k.copy_id = :copy",
        "subscriber": is_of_subscriber("k.subscriber_id"),
        "issue": (
            "k.issue_number ="
            " (SELECT number FROM issue WHERE account_id = :account_id AND id = :issue)"
        ),
        "subscription": "k.subscription_id = :subscription",
        "country": "k.country = :country",
        "reason": "k.reason = :reason",
        "status": "k.status = :status",
    },
    selective=("copy", "subscriber", "issue"),
    last="status",
    last_values=[f"k.status = '{status}'" for status in ClaimStatus],
)

_SELECT = """
    SELECT
        k.id,
        k.copy_id,
        (
            SELECT id FROM issue WHERE account_id = :account_id AND number = k.issue_number
        ) AS issue_id,
        k.issue_number,
        (
            SELECT name FROM issue WHERE account_id = :account_id AND number = k.issue_number
        ) AS issue_name,
        k.subscriber_id,
        k.subscription_id,
        k.country,
        k.reason,
        k.notes,
        k.status,
        k.wants_replacement AS replacement,
        k.dispatch_id,
        k.date_sent,
        k.created_at
"""
_CLAIM = _SELECT + " FROM claim k WHERE k.account_id = :account_id "

# Copies are counted by the index copy_by_issue_country: the countries of an issue one by one, and
# then the copies of each, so that only their number is read
_COUNTS = """
    WITH RECURSIVE chosen AS (
        SELECT DISTINCT k.issue_number
        FROM claim k
        WHERE k.account_id = :account_id AND (k.status <> 'closed' OR NOT k.wants_replacement)
        ORDER BY k.issue_number DESC
        LIMIT :limit
    ),
    place(issue_number, country) AS (
        SELECT
            n.issue_number,
            (
                SELECT min(c.country)
                FROM copy c
                WHERE c.account_id = :account_id AND c.issue_number = n.issue_number
            )
        FROM chosen n
        UNION ALL
        SELECT
            p.issue_number,
            (
                SELECT min(c.country)
                FROM copy c
                WHERE c.account_id = :account_id
                  AND c.issue_number = p.issue_number
                  AND c.country > p.country
            )
        FROM place p
        WHERE p.country IS NOT NULL
    )
    SELECT
        t.issue_number,
        i.id AS issue_id,
        t.country,
        CAST(sum(t.sent) AS bigint) AS sent,
        CAST(sum(t.claims) AS bigint) AS claims,
        CAST(sum(t.never_arrived) AS bigint) AS never_arrived,
        CAST(sum(t.damaged) AS bigint) AS damaged,
        CAST(sum(t.replacements) AS bigint) AS replacements
    FROM (
        SELECT
            p.issue_number,
            p.country,
            (
                SELECT count(*)
                FROM copy c
                WHERE c.account_id = :account_id
                  AND c.issue_number = p.issue_number
                  AND c.country = p.country
                  AND c.status = 'Sent'
            ) AS sent,
            0 AS claims,
            0 AS never_arrived,
            0 AS damaged,
            0 AS replacements
        FROM place p
        WHERE p.country IS NOT NULL
        UNION ALL
        SELECT
            k.issue_number,
            k.country,
            0 AS sent,
            count(*) AS claims,
            sum(CASE WHEN k.reason = 'never_arrived' THEN 1 ELSE 0 END) AS never_arrived,
            sum(CASE WHEN k.reason = 'damaged' THEN 1 ELSE 0 END) AS damaged,
            sum(CASE WHEN k.status = 'sent' THEN 1 ELSE 0 END) AS replacements
        FROM chosen
        CROSS JOIN claim k
        WHERE k.account_id = :account_id
          AND k.issue_number = chosen.issue_number
          AND (k.status <> 'closed' OR NOT k.wants_replacement)
        GROUP BY k.issue_number, k.country
    ) AS t
    CROSS JOIN issue i
    WHERE i.account_id = :account_id AND i.number = t.issue_number
    GROUP BY t.issue_number, i.id, t.country
    HAVING sum(t.sent + t.claims) > 0
    ORDER BY t.issue_number DESC, claims DESC, sent DESC, t.country
"""


def _claim_from_row(row: Row, zone: tzinfo = UTC) -> Claim:
    """The claim in a row of `_SELECT`. zone: of its date; the API says in UTC."""
    issue = IssueRef(id=row["issue_id"], number=row["issue_number"], name=row["issue_name"])
    day = row["created_at"].astimezone(zone).date()
    return to_struct({**row, "issue": issue, "date_created": day}, Claim)


async def get_claim(db: Connection, account_id: int, id: str) -> Claim:
    """A claim. Queries: one. Raises: NotFound."""
    row = await db.fetch_one(_CLAIM + "AND k.id = :id", {"account_id": account_id, "id": id})
    if row is None:
        raise NotFound("claim", id)
    return _claim_from_row(row)


async def list_by_ids(db: Connection, account_id: int, ids: Collection[str]) -> list[Claim]:
    """The claims with these ids, in any order. Queries: one."""
    values = {"account_id": account_id, "ids": list(ids)}
    rows = await db.fetch_all(_CLAIM + "AND k.id IN (:ids...)", values)
    return [_claim_from_row(row) for row in rows]


async def list_claims(
    db: Connection, account_id: int, query: ClaimQuery, page: PageRequest, *, zone: tzinfo = UTC
) -> Page[Claim]:
    """The claims that match the filters, newest first. zone: of their dates. Queries: one."""
    rows = await fetch_page(
        db, account_id, CLAIMS, _SELECT, query, after=page.after_id, fetch=page.fetch
    )
    return cut_page([_claim_from_row(row, zone) for row in rows], page)


async def count_claims(db: Connection, account_id: int, *, issues: int) -> list[ClaimCount]:
    """The copies sent and claimed of the newest issues with claims, by issue and country.

    issues: at most so many. Copies count in the present country of their subscription, claims in
    the country to which the copy was sent. Queries: one, which reads an index entry for each copy
    of these issues: read aside.
    """
    return await fetch_all(
        db, _COUNTS, {"account_id": account_id, "limit": issues}, into=ClaimCount
    )


async def list_replaced(db: Connection, account_id: int, subscriber_id: str) -> list[int]:
    """The issue of each replacement that a subscriber got or gets. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT issue_number
        FROM claim
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND wants_replacement
          AND (status <> 'closed') IS TRUE
        """,
        {"account_id": account_id, "subscriber": subscriber_id},
    )
    return [row["issue_number"] for row in rows]


async def list_promised(
    db: Connection, account_id: int, subscriber_id: str, subscription_id: str
) -> list[int]:
    """The issues of which a subscription of a subscriber still gets a replacement. Queries: one.

    Index: claim_by_subscriber.
    """
    rows = await db.fetch_all(
        """
        SELECT issue_number
        FROM claim
        WHERE account_id = :account_id
          AND subscriber_id = :subscriber
          AND subscription_id = :subscription
          AND wants_replacement
          AND status IN ('open', 'held')
        ORDER BY issue_number
        """,
        {
            "account_id": account_id,
            "subscriber": subscriber_id,
            "subscription": subscription_id,
        },
    )
    return [row["issue_number"] for row in rows]


async def get_policy(db: Connection, account_id: int) -> ReplacementPolicy:
    """How many replacements a subscriber gets without a warning. Queries: one."""
    [found] = await fetch_all(
        db,
        """
        SELECT max_replacements AS replacements, max_replacements_issues AS issues
        FROM account
        WHERE id = :account_id
        """,
        {"account_id": account_id},
        into=ReplacementPolicy,
    )
    return found


async def insert_claim(tx: Transaction, account_id: int, columns: Mapping[str, Any]) -> None:
    """Add a claim. columns: all that do not change later."""
    own = {"account_id": account_id, "created_at": now(), "dispatch_id": None, "date_sent": None}
    await insert_row(tx, "claim", **columns, **own)


async def update_claim(
    tx: Transaction, account_id: int, id: str, columns: Mapping[str, object]
) -> None:
    """Set columns of a claim."""
    await update_row(tx, account_id, "claim", id, **columns)
