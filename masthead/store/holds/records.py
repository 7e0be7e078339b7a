"""The holds of subscriptions."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.holds import Hold, HoldEnd
from masthead.model.ids import new_ids
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.types.full_names import Named
from masthead.store.copies import IS_FREE
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all
from masthead.store.subscriptions.bundles import GROUP_KEY, SAME_GROUP


class HeldRow(Named, frozen=True, kw_only=True):
    """A subscription that is held, or several copies for one address, in a list.

    id, created_at: of the oldest hold. holds: all that are open, oldest first.
    """

    id: str
    subscription_id: str
    subscriber_id: str
    created_at: datetime
    holds: Sequence[Hold] = ()


_HOLD = """
    SELECT
        h.id,
        h.subscription_id,
        h.invoice_id,
        i.number AS invoice_number,
        h.reason,
        h.created_at,
        h.ended_at,
        h.ended_by
    FROM subscription_hold h
    LEFT JOIN invoice i ON i.account_id = h.account_id AND i.id = h.invoice_id
    WHERE h.account_id = :account_id
"""


# Whether an open hold `t` is the oldest of its subscription, and of all copies for its address
_IS_FIRST = f"""NOT EXISTS (
                SELECT 1
                FROM subscription_hold earlier
                WHERE earlier.account_id = :account_id
                  AND earlier.ended_at IS NULL
                  AND earlier.id < t.id
                  AND earlier.subscription_id IN (
                      SELECT t.subscription_id
                      UNION ALL
                      SELECT other.id
                      FROM subscription s
                      JOIN subscription other ON {SAME_GROUP}
                      WHERE s.account_id = :account_id
                        AND other.account_id = :account_id
                        AND s.id = t.subscription_id
                        AND s.bundle_id IS NOT NULL
                  )
              )"""  # noqa: S608 - names of columns


async def insert_holds(
    tx: Transaction,
    account_id: int,
    subscription_ids: Sequence[str],
    *,
    invoice_id: str | None = None,
    reason: str = "",
    by: Actor,
) -> None:
    """Begin a hold of each subscription. Queries: one."""
    moment = now()
    await tx.insert_rows(
        "subscription_hold",
        [
            {
                "account_id": account_id,
                "id": id,
                "subscription_id": subscription_id,
                "invoice_id": invoice_id,
                "reason": reason,
                "created_at": moment,
                "actor_kind": by.kind,
                "actor_id": by.id,
            }
            for id, subscription_id in zip(
                new_ids(account_id, len(subscription_ids), after=""), subscription_ids, strict=True
            )
        ],
    )


async def end_holds(
    tx: Transaction, account_id: int, ids: Collection[str], ended_by: HoldEnd
) -> None:
    """End some holds. Queries: one."""
    await tx.execute(
        """
        UPDATE subscription_hold
        SET ended_at = :moment, ended_by = :ended_by
        WHERE account_id = :account_id AND id IN (:ids...) AND ended_at IS NULL
        """,
        {"account_id": account_id, "ids": list(ids), "moment": now(), "ended_by": ended_by},
    )


async def list_of_subscriptions(
    db: Connection, account_id: int, subscription_ids: Collection[str], *, only_open: bool = False
) -> list[Hold]:
    """The holds of subscriptions, oldest first. Index: subscription_hold_by_subscription."""
    if not subscription_ids:
        return []
    condition = " AND h.ended_at IS NULL" if only_open else ""
    return await fetch_all(
        db,
        f"{_HOLD} AND h.subscription_id IN (:ids...){condition} ORDER BY h.id",
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=Hold,
    )


async def list_all_open(db: Connection, account_id: int, request: PageRequest) -> Page[HeldRow]:
    """The subscriptions that are held, those held longest first. Index: subscription_hold_open.

    Several copies for one address are one. Queries: two, read aside. The page is cut before its
    rows are joined.
    """
    found = await fetch_all(
        db,
        f"""
        SELECT
            h.id,
            h.subscription_id,
            h.created_at,
            u.id AS subscriber_id,
            u.first_name,
            u.last_name,
            u.company,
            u.email
        FROM (
            SELECT t.id, t.subscription_id, t.created_at
            FROM subscription_hold t
            WHERE t.account_id = :account_id
              AND t.ended_at IS NULL
              AND t.id > :after
              AND {_IS_FIRST}
            ORDER BY t.id
            LIMIT :limit
        ) AS h
        JOIN subscription s ON s.account_id = :account_id AND s.id = h.subscription_id
        JOIN subscriber u ON u.account_id = :account_id AND u.id = s.subscriber_id
        ORDER BY h.id
        """,  # noqa: S608 - names of columns
        {"account_id": account_id, "after": request.after_id, "limit": request.fetch},
        into=HeldRow,
    )
    holds = await list_of_subscriptions(
        db, account_id, [each.subscription_id for each in found], only_open=True
    )
    by_owner = defaultdict[str, list[Hold]](list)
    for hold in holds:
        by_owner[hold.subscription_id].append(hold)
    rows = [structs.replace(each, holds=by_owner[each.subscription_id]) for each in found]
    return cut_page(rows, request)


async def count_held(db: Connection, account_id: int) -> int:
    """How many subscriptions are held; several copies for one address are one. Queries: one.

    Index: subscription_hold_open.
    """
    row = await db.fetch_one(
        f"""
        SELECT count(*) AS count
        FROM (
            SELECT 1
            FROM subscription s
            WHERE s.account_id = :account_id
              AND s.id IN (
                  SELECT subscription_id
                  FROM subscription_hold
                  WHERE account_id = :account_id AND ended_at IS NULL
              )
            GROUP BY {GROUP_KEY}
        ) AS held
        """,  # noqa: S608 - names of columns
        {"account_id": account_id},
    )
    return int(row["count"]) if row else 0


async def list_of_invoice(db: Connection, account_id: int, invoice_id: str) -> list[Hold]:
    """The holds because of an invoice, oldest first. Index: subscription_hold_by_invoice."""
    return await fetch_all(
        db,
        f"{_HOLD} AND h.invoice_id = :invoice_id ORDER BY h.id",
        {"account_id": account_id, "invoice_id": invoice_id},
        into=Hold,
    )


async def list_subscriptions_on(db: Connection, account_id: int, invoice_id: str) -> list[str]:
    """The subscriptions whose orders are on an invoice and that still have something to get.

    Cancelled ones get nothing more. Queries: one. Index: invoice_line_pk.
    """
    rows = await db.fetch_all(
        """
        SELECT DISTINCT p.subscription_id AS id
        FROM invoice_line l
        JOIN period p ON p.account_id = l.account_id AND p.id = l.period_id
        JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
        WHERE l.account_id = :account_id
          AND l.invoice_id = :invoice_id
          AND (s.status <> 'Cancelled') IS TRUE
        ORDER BY p.subscription_id
        """,
        {"account_id": account_id, "invoice_id": invoice_id},
    )
    return [row["id"] for row in rows]


async def list_waiting_issues(db: Connection, account_id: int, subscription_id: str) -> list[int]:
    """The numbers of issues whose copies are neither sent nor in a mailing. Index: copy_once."""
    rows = await db.fetch_all(
        f"""
        SELECT c.issue_number
        FROM copy c
        WHERE c.account_id = :account_id
          AND c.subscription_id = :id
          AND ({IS_FREE}) IS TRUE
        ORDER BY c.issue_number
        """,  # noqa: S608 - a constant
        {"account_id": account_id, "id": subscription_id},
    )
    return [row["issue_number"] for row in rows]
