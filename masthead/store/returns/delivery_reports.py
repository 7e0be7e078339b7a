"""Delivery reports: undeliverable and moved copies, and what became of them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec

from masthead.model.clock import now
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.model.returns.delivery_reports import (
    DeliveryReport,
    PostalAddress,
    ReportKind,
    ReportStatus,
)
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, to_struct
from masthead.store.pagination import PaginatedList, fetch_page
from masthead.store.subscribers.conditions import is_of_subscriber

REPORTS = PaginatedList(
    table="delivery_report",
    alias="r",
    conditions={
        "subscription": "r.subscription_id = :subscription",
        "subscriber": is_of_subscriber("r.subscriber_id"),
        "copy": "r.copy_id = :copy",
        "kind": "r.kind = :kind",
        "status": "r.status = :status",
    },
    selective=("subscription", "subscriber", "copy", "status", "kind"),
)

_SELECT = """
    SELECT
        r.id,
        r.kind,
        r.status,
        r.line_id,
        r.copy_id,
        r.subscription_id,
        r.subscriber_id,
        r.issue_number,
        r.reason,
        r.report_date,
        r.old_address,
        r.new_address,
        r.created_at,
        r.actor_kind,
        r.actor_id,
        r.resolved_at,
        (
            SELECT s.first_name
            FROM subscription s
            WHERE s.account_id = :account_id AND s.id = r.subscription_id
        ) AS first_name,
        (
            SELECT s.last_name
            FROM subscription s
            WHERE s.account_id = :account_id AND s.id = r.subscription_id
        ) AS last_name,
        (
            SELECT s.company
            FROM subscription s
            WHERE s.account_id = :account_id AND s.id = r.subscription_id
        ) AS company
"""


_REPORT = _SELECT + " FROM delivery_report r WHERE r.account_id = :account_id "


async def list_reports(
    db: Connection, account_id: int, query: msgspec.Struct, page: PageRequest
) -> Page[DeliveryReport]:
    """Reports that match the filters, newest first. Queries: one."""
    rows = await fetch_page(
        db, account_id, REPORTS, _SELECT, query, after=page.after_id, fetch=page.fetch
    )
    return cut_page([to_struct(row, DeliveryReport) for row in rows], page)


async def get_report(db: Connection, account_id: int, id: str) -> DeliveryReport:
    """A report. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _REPORT + "AND r.id = :id", into=DeliveryReport, noun="delivery report"
    )


async def list_by_ids(
    db: Connection, account_id: int, ids: Collection[str]
) -> list[DeliveryReport]:
    """The reports with these ids, in any order. Queries: one."""
    return await fetch_all(
        db,
        _REPORT + "AND r.id IN (:ids...)",
        {"account_id": account_id, "ids": list(ids)},
        into=DeliveryReport,
    )


async def list_open(
    db: Connection,
    account_id: int,
    kind: ReportKind,
    page: PageRequest,
    *,
    subscription_id: str | None = None,
) -> Page[DeliveryReport]:
    """Open reports of a kind, newest first. subscription_id: only on this one. Queries: one."""
    found = await fetch_all(
        db,
        _REPORT
        + """
          AND r.status = 'open'
          AND r.kind = :kind
          AND (:is_any OR r.subscription_id = :subscription)
          AND r.id < :after
        ORDER BY r.id DESC
        LIMIT :fetch
        """,
        {
            "account_id": account_id,
            "kind": kind,
            "is_any": subscription_id is None,
            "subscription": subscription_id or "",
            "after": page.after_id,
            "fetch": page.fetch,
        },
        into=DeliveryReport,
    )
    return cut_page(found, page)


async def list_open_addresses(
    db: Connection, account_id: int, kind: ReportKind, page: PageRequest
) -> tuple[Page[DeliveryReport], dict[str, int]]:
    """Of the open reports of a kind the newest one on each address of a subscriber, newest first.

    And the number of subscriptions with the same report, by its id. Queries: one.
    Index: delivery_report_by_status.
    """
    rows = await db.fetch_all(
        f"""
        SELECT report.*, newest.subscriptions
        FROM (
            SELECT max(o.id) AS newest_id, count(DISTINCT o.subscription_id) AS subscriptions
            FROM delivery_report o
            WHERE o.account_id = :account_id AND o.status = 'open' AND o.kind = :kind
            GROUP BY o.subscriber_id, o.old_address, o.new_address
        ) AS newest
        JOIN ({_REPORT}) AS report ON report.id = newest.newest_id
        WHERE newest.newest_id < :after
        ORDER BY newest.newest_id DESC
        LIMIT :fetch
        """,  # noqa: S608 - the constant above
        {"account_id": account_id, "kind": kind, "after": page.after_id, "fetch": page.fetch},
    )
    found = cut_page([to_struct(row, DeliveryReport) for row in rows], page)
    return found, {row["id"]: row["subscriptions"] for row in rows}


async def list_of_subscriptions(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[DeliveryReport]:
    """The open reports on some subscriptions, oldest first. Queries: one."""
    return await fetch_all(
        db,
        _REPORT
        + """
          AND r.subscription_id IN (:ids...)
          AND r.status = 'open'
        ORDER BY r.id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=DeliveryReport,
    )


async def count_open_addresses(db: Connection, account_id: int) -> dict[ReportKind, int]:
    """The number of addresses with open reports of each kind. Queries: one.

    An address of several subscriptions of a subscriber counts once.
    """
    rows = await db.fetch_all(
        """
        SELECT reported.kind, count(*) AS count
        FROM (
            SELECT DISTINCT kind, subscriber_id, old_address, new_address
            FROM delivery_report
            WHERE account_id = :account_id AND status = 'open'
        ) AS reported
        GROUP BY reported.kind
        """,
        {"account_id": account_id},
    )
    counts = {row["kind"]: row["count"] for row in rows}
    return {kind: counts.get(kind.value, 0) for kind in ReportKind}


async def list_of_copies(
    db: Connection, account_id: int, copy_ids: Collection[int]
) -> set[tuple[int, int | None, str, str | None]]:
    """Copy, line, kind and new address (as JSON) of the reports on copies. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT copy_id, line_id, kind, new_address
        FROM delivery_report
        WHERE account_id = :account_id AND copy_id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(copy_ids)},
    )
    return {(row["copy_id"], row["line_id"], row["kind"], row["new_address"]) for row in rows}


async def insert_reports(
    tx: Transaction, account_id: int, rows: Sequence[Mapping[str, Any]]
) -> None:
    """Add reports. rows: by column name. Queries: one."""
    await tx.insert_rows("delivery_report", [{**row, "account_id": account_id} for row in rows])


async def resolve(
    tx: Transaction, account_id: int, ids: Collection[str], status: ReportStatus
) -> None:
    """Close open reports. Queries: one."""
    await tx.execute(
        """
        UPDATE delivery_report
        SET status = :status, resolved_at = :moment
        WHERE account_id = :account_id AND id IN (:ids...) AND status = 'open'
        """,
        {"account_id": account_id, "ids": list(ids), "status": status, "moment": now()},
    )


async def find_reported_addresses(
    db: Connection, account_id: int, line_ids: Collection[int]
) -> dict[int, PostalAddress]:
    """The frozen addresses of lines. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT id, address1, address2, city, state, postcode, country
        FROM dispatch_line
        WHERE account_id = :account_id AND id IN (:ids... AS bigint)
        """,
        {"account_id": account_id, "ids": list(line_ids)},
    )
    return {row["id"]: PostalAddress.from_row(row) for row in rows}


async def find_sibling_subscriptions(
    db: Connection, account_id: int, subscription_ids: Collection[str]
) -> list[StoredSubscription]:
    """All subscriptions of the subscribers of some subscriptions. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT s.*
        FROM subscription s
        WHERE s.account_id = :account_id
          AND s.subscriber_id IN (
              SELECT o.subscriber_id
              FROM subscription o
              WHERE o.account_id = :account_id AND o.id IN (:ids...)
          )
        ORDER BY s.id
        """,
        {"account_id": account_id, "ids": list(subscription_ids)},
        into=StoredSubscription,
    )
