"""The records that are older than an account keeps personal data."""

from datetime import date, datetime

from masthead.model.privacy.columns import ERASED_NAME
from masthead.model.privacy.retention import RetentionKind
from masthead.store.engine.interface import Connection
from masthead.store.privacy.records import AUDIT_SUBJECTS

_AUDIT_SUBJECTS = ", ".join(f"'{each}'" for each in AUDIT_SUBJECTS)
# The old records of each kind, with an id and a label, oldest first
_DUE = {
    RetentionKind.UPLOADS: """
        SELECT b.id, b.name AS label, b.created_at
        FROM import_batch b
        WHERE b.account_id = :account_id
          AND b.created_at < :moment
          AND b.status NOT IN ('rehearsing', 'running', 'undoing')
          AND EXISTS (
              SELECT 1
              FROM import_file_part p
              WHERE p.account_id = :account_id AND p.batch_id = b.id
          )
        UNION ALL
        SELECT f.id, f.name AS label, f.created_at
        FROM carrier_file f
        WHERE f.account_id = :account_id
          AND f.created_at < :moment
          AND EXISTS (
              SELECT 1
              FROM carrier_file_part p
              WHERE p.account_id = :account_id AND p.file_id = f.id
          )
    """,
    RetentionKind.IMPORT_ROWS: """
        SELECT b.id, b.name AS label, b.created_at
        FROM import_batch b
        WHERE b.account_id = :account_id
          AND b.created_at < :moment
          AND b.status NOT IN ('rehearsing', 'running', 'undoing')
          AND EXISTS (
              SELECT 1
              FROM import_row r
              WHERE r.account_id = :account_id
                AND r.batch_id = b.id
                AND (r.outcome <> 'imported' OR b.number IS NULL)
                AND r.cells IS NOT NULL
          )
    """,
    RetentionKind.EMAILS: """
        SELECT o.id, o.recipient AS label, o.created_at
        FROM outbox o
        WHERE o.account_id = :account_id
          AND o.status IN ('sent', 'failed', 'cancelled')
          AND o.created_at < :moment
          AND o.recipient <> ''
        UNION ALL
        SELECT l.id, l.address AS label, l.created_at
        FROM renewal_letter l
        WHERE l.account_id = :account_id
          AND l.status IN ('printed', 'skipped')
          AND l.created_at < :moment
          AND l.address <> ''
        UNION ALL
        SELECT r.id, r.address AS label, r.created_at
        FROM reminder r
        WHERE r.account_id = :account_id
          AND r.status IN ('sent', 'printed', 'skipped')
          AND r.created_at < :moment
          AND r.address <> ''
    """,
    RetentionKind.DISPATCH_LINES: """
        SELECT
            d.id,
            CAST(d.issue_number AS text) || '/' || CAST(d.number AS text) AS label,
            d.created_at
        FROM dispatch d
        WHERE d.account_id = :account_id
          AND d.status IN ('marked', 'discarded')
          AND coalesce(d.marked_at, d.discarded_at) < :moment
          AND EXISTS (
              SELECT 1
              FROM dispatch_line l
              WHERE l.account_id = :account_id
                AND l.dispatch_id = d.id
                AND (l.last_name IS NOT NULL OR l.address1 IS NOT NULL OR l.first_name <> :erased)
          )
    """,
    RetentionKind.ENDED_SUBSCRIBERS: """
        SELECT u.id, u.email AS label, u.created_at
        FROM subscriber u
        WHERE u.account_id = :account_id
          AND u.has_active_subscription = false
          AND u.merged_into IS NULL
          AND u.created_at < :moment
          AND NOT (u.is_placeholder AND coalesce(u.first_name, '') = :erased)
          AND NOT EXISTS (
              SELECT 1
              FROM subscription s
              WHERE s.account_id = :account_id
                AND s.subscriber_id = u.id
                AND (
                    (s.status NOT IN ('Cancelled', 'Complete')) IS TRUE
                    OR EXISTS (
                        SELECT 1
                        FROM period p
                        WHERE p.account_id = :account_id
                          AND p.subscription_id = s.id
                          AND p.id > 0
                          AND (
                              p.order_date >= :day
                              OR p.period_end >= :day
                              OR (p.order_date IS NULL AND p.created_at >= :moment)
                          )
                    )
                    OR EXISTS (
                        SELECT 1
                        FROM cancellation k
                        WHERE k.account_id = :account_id
                          AND k.subscription_id = s.id
                          AND k.cancelled_date >= :day
                    )
                )
          )
          AND NOT EXISTS (
              SELECT 1
              FROM copy c
              WHERE c.account_id = :account_id
                AND c.subscriber_id = u.id
                AND (c.date_sent >= :day OR (c.status NOT IN ('Sent', 'Cancelled')) IS TRUE)
          )
          AND NOT EXISTS (
              SELECT 1
              FROM subscription g
              WHERE g.account_id = :account_id
                AND g.gifter_id = u.id
                AND (
                    g.created_at >= :moment
                    OR (g.status NOT IN ('Cancelled', 'Complete')) IS TRUE
                )
          )
          AND NOT EXISTS (
              SELECT 1
              FROM invoice i
              WHERE i.account_id = :account_id
                AND i.payer_id = u.id
                AND (i.issue_date >= :invoiced OR i.open_amount <> 0)
          )
          AND NOT EXISTS (
              SELECT 1
              FROM payment y
              WHERE y.account_id = :account_id
                AND y.payer_id = u.id
                AND y.unused_amount <> 0
          )
    """,
    RetentionKind.INVOICES: """
        SELECT i.id, i.number AS label, i.created_at
        FROM invoice i
        WHERE i.account_id = :account_id
          AND i.issue_date < :invoiced
          AND i.open_amount = 0
          AND i.payer_name <> :erased
    """,
    RetentionKind.ORDER_RECORDS: """
        SELECT CAST(p.id AS text) AS id, p.order_id AS label, p.created_at
        FROM erasure e
        JOIN subscription s
            ON s.account_id = e.account_id
            AND s.subscriber_id = e.subscriber_id
        JOIN period p ON p.account_id = s.account_id AND p.subscription_id = s.id
        WHERE e.account_id = :account_id
          AND coalesce(p.order_date, :day) <= :day
          AND p.created_at < :moment
          AND (p.transaction_id IS NOT NULL OR p.promo_code IS NOT NULL)
    """,
    RetentionKind.AUDIT_DETAILS: f"""
        SELECT CAST(a.id AS text) AS id, a.action AS label, a.happened_at AS created_at
        FROM audit a
        WHERE a.account_id = :account_id
          AND a.happened_at < :moment
          AND a.subject_type IN ({_AUDIT_SUBJECTS})
          AND (a.before LIKE '%":"%' OR a.after LIKE '%":"%')
          AND a.id > :position
    """,  # noqa: S608 - the constants above
}


def _values(
    account_id: int, day: date, moment: datetime, position: int, invoiced: date
) -> dict[str, object]:
    return {
        "invoiced": invoiced,
        "account_id": account_id,
        "day": day,
        "moment": moment,
        "erased": ERASED_NAME,
        "position": position,
    }


async def count_due(
    db: Connection,
    account_id: int,
    kind: RetentionKind,
    *,
    day: date,
    moment: datetime,
    position: int,
    invoiced: date,
) -> int:
    """The number of records older than a day. Queries: one, maybe slow.

    moment: the beginning of the day. invoiced: the first day whose invoices must be kept.
    """
    row = await db.fetch_one(
        f"SELECT count(*) AS count FROM ({_DUE[kind]}) AS due",  # noqa: S608 - a constant
        _values(account_id, day, moment, position, invoiced),
    )
    assert row is not None
    return int(row["count"])


async def list_due(
    db: Connection,
    account_id: int,
    kind: RetentionKind,
    *,
    day: date,
    moment: datetime,
    position: int,
    invoiced: date,
    limit: int,
) -> dict[str, str | None]:
    """The labels of the oldest records that are older than a day, by id. Queries: one."""
    order = "CAST(id AS bigint)" if kind is RetentionKind.AUDIT_DETAILS else "created_at, id"
    rows = await db.fetch_all(
        f"SELECT id, label FROM ({_DUE[kind]}) AS due ORDER BY {order} LIMIT :limit",  # noqa: S608 - a constant
        {**_values(account_id, day, moment, position, invoiced), "limit": limit},
    )
    return {row["id"]: row["label"] for row in rows}
