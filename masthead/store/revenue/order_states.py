"""The orders of an account as they stand at the end of a day."""

from datetime import date

from msgspec import Struct

from masthead.model.billing.orders import Taxation
from masthead.model.clock import end_of
from masthead.model.revenue.order_vat import OrderTaxes, find_price, find_refunds, find_vat
from masthead.model.revenue.recognition import OrderState
from masthead.store.billing import payers
from masthead.store.billing.orders import SUPPLIED_TO
from masthead.store.engine.interface import Connection, Row
from masthead.store.engine.rows import fetch_all, to_struct
from masthead.store.subscriptions.skips import SKIPPED_OF_PERIOD

# A copy that was sent without a date counts from the release date of its issue, or always. Its
# status is not compared by "= 'Sent'": SQLite would read all copies with that status. CROSS JOIN
# keeps SQLite from reading all invoices for each order
_DOCUMENTS = """
            SELECT CAST(sum(
                CASE WHEN i.kind = 'invoice' THEN {amount} ELSE -({amount}) END
            ) AS bigint)
            FROM invoice_line l
            CROSS JOIN invoice i
            WHERE l.account_id = :account_id
              AND l.period_id = b.period_id
              AND i.account_id = l.account_id
              AND i.id = l.invoice_id
              AND i.issue_date <= :day
"""
_STATES = f"""
    SELECT
        p.id AS period_id,
        p.subscription_id,
        p.order_id,
        p.order_date,
        p.created_at,
        p.currency,
        p.price,
        p.first_issue,
        p.last_issue,
        p.period_start,
        p.period_end,
        {SKIPPED_OF_PERIOD},
        (
            SELECT CAST(
                coalesce(sum(CASE WHEN r.refund_date <= :day THEN r.amount ELSE 0 END), 0) AS bigint
            )
            FROM refund r
            WHERE r.account_id = :account_id AND r.period_id = p.id
        ) AS refunded,
        (
            SELECT min(x.cancelled_date)
            FROM cancellation x
            WHERE x.account_id = :account_id
              AND x.subscription_id = p.subscription_id
              AND x.cancelled_date <= :day
              AND (x.reopened_date IS NULL OR x.reopened_date > :day)
        ) AS cancelled_date,
        (
            SELECT group_concat(CAST(c.issue_number AS text), ' ')
            FROM copy c
            LEFT JOIN issue i
                ON c.date_sent IS NULL AND i.account_id = c.account_id AND i.id = c.issue_id
            WHERE c.account_id = :account_id
              AND c.subscription_id = p.subscription_id
              AND c.issue_number BETWEEN p.first_issue AND p.last_issue
              AND c.status NOT IN ('Not sent', 'Cancelled')
              AND coalesce(c.date_sent, i.release_date_actual, :day) <= :day
        ) AS sent,
        coalesce(p.product_id, s.product_id) AS product_id,
        s.medium,
        s.country,
        b.period_id IS NOT NULL AS is_billed,
        CASE WHEN b.period_id IS NOT NULL THEN {payers.COUNTRY} END AS payer_country,
        y.vat_id,
        CASE WHEN b.period_id IS NOT NULL THEN {SUPPLIED_TO} END AS supplied_to,
        CASE WHEN b.period_id IS NOT NULL THEN (
            {_DOCUMENTS.format(amount="l.net + l.vat")}
        ) END AS billed,
        CASE WHEN b.period_id IS NOT NULL THEN (
            {_DOCUMENTS.format(amount="l.vat")}
        ) END AS billed_vat
    FROM period p
    JOIN subscription s ON s.account_id = p.account_id AND s.id = p.subscription_id
    LEFT JOIN billed_order b
        ON p.is_billed
        AND b.account_id = p.account_id
        AND b.period_id = p.id
    LEFT JOIN payer y ON y.account_id = b.account_id AND y.subscriber_id = b.payer_id
    LEFT JOIN subscriber u ON u.account_id = b.account_id AND u.id = b.payer_id
    WHERE p.account_id = :account_id
      AND p.id > :after
      AND coalesce(p.order_date <= :day, p.created_at < :end)
      {{is_paid}}
    ORDER BY p.id
    LIMIT :limit
"""  # noqa: S608 - our own names


# An order that was paid at once, or whose invoice is paid or credited by the end of the day. What
# was written off is not paid
_IS_PAID = """
      AND CASE
          WHEN b.period_id IS NULL THEN 1
          WHEN b.invoice_id IS NULL THEN 0
          ELSE (
              SELECT CASE
                  WHEN i.total <= coalesce((
                      SELECT sum(e.amount)
                      FROM settlement e
                      WHERE e.account_id = :account_id
                        AND e.invoice_id = i.id
                        AND e.settled_date <= :day
                        AND (e.payment_id IS NOT NULL OR e.credit_note_id IS NOT NULL)
                  ), 0) THEN 1
                  ELSE 0
              END
              FROM invoice i
              WHERE i.account_id = :account_id AND i.id = b.invoice_id
          )
      END = 1
"""


async def list_order_states(
    db: Connection,
    account_id: int,
    day: date,
    *,
    taxation: Taxation | None = None,
    only_paid: bool = False,
    after: int,
    limit: int,
) -> list[OrderState]:
    """The orders that count on a day, by period id. Queries: one. Indexes: keys, copy_once.

    taxation: of the day; None if the account has no settings for invoices. only_paid: without
    orders whose invoice is not paid, or not written yet. after: the last period id of the page
    before. About 15 µs for each copy.
    """
    rows = await db.fetch_all(
        _STATES.format(is_paid=_IS_PAID if only_paid else ""),
        {
            "account_id": account_id,
            "day": day,
            "end": end_of(day),
            "after": after,
            "limit": limit,
        },
    )
    return [_state_from_row(row, taxation) for row in rows]


def _state_from_row(row: Row, taxation: Taxation | None) -> OrderState:
    order_date = row["order_date"] or row["created_at"].date()
    taxes = to_struct({**row, "order_date": order_date}, OrderTaxes)
    return to_struct(
        {
            **row,
            "order_date": order_date,
            "price": find_price(taxes),
            "refunds": find_refunds(taxes),
            "vat": find_vat(taxes, taxation),
            "skipped": frozenset(map(int, (row["skipped"] or "").split())),
            "sent": frozenset(map(int, (row["sent"] or "").split())),
        },
        OrderState,
    )


class ScheduledIssue(Struct, frozen=True):
    """An announced issue with its release date, if it has one."""

    id: str
    number: int
    name: str
    release_date: date | None


async def list_scheduled_issues(db: Connection, account_id: int) -> list[ScheduledIssue]:
    """All issues, by number. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT id, number, name, release_date_actual AS release_date
        FROM issue
        WHERE account_id = :account_id
        ORDER BY number
        """,
        {"account_id": account_id},
        into=ScheduledIssue,
    )


async def list_issue_names(db: Connection, account_id: int) -> dict[int, str]:
    """The names of all issues, by number, lowest first. Queries: one."""
    rows = await db.fetch_all(
        "SELECT number, name FROM issue WHERE account_id = :account_id ORDER BY number",
        {"account_id": account_id},
    )
    return {row["number"]: row["name"] for row in rows}


async def count_orders_up_to(db: Connection, account_id: int, limit: int) -> int:
    """The number of orders of an account, at most `limit`. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM (SELECT 1 AS one FROM period WHERE account_id = :account_id LIMIT :limit) AS first
        """,
        {"account_id": account_id, "limit": limit},
    )
    assert row is not None
    return int(row["count"])
