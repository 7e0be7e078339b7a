"""How many payers have one overdue invoice each, and are alike: most of them.

They are counted by the database. All others are read one by one, as are those that get no reminder.
"""

from collections.abc import Sequence
from datetime import date
from functools import cache

from msgspec import Struct

from masthead.store.billing.payers import HAS_ADDRESS
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class AlikePayers(Struct, frozen=True, kw_only=True):
    """A number of payers who are alike, with one overdue invoice each.

    way: how their reminder goes out, `email` or `print`; `left` if there is none although it is
    overdue; `other` if more than the invoice decides. stage: of the last reminder, 0 for none.
    payer_id, currency: of the payer, if way is `left` or `other`, or for a listed stage; else
    empty. amount: what is open, for a listed stage; else 0.
    """

    way: str
    stage: int
    payer_id: str
    currency: str
    amount: int
    count: int


# The condition is that of the index `invoice_overdue`. CASE keeps both databases from reading by
# the due day
_LATE = """
            SELECT
                payer_id,
                currency,
                min(id) AS id,
                min(due_date) AS due_date,
                CAST(sum(open_amount) AS bigint) AS amount,
                count(*) AS invoices
            FROM invoice
            WHERE account_id = :account_id
              AND (kind = 'invoice' AND open_amount > 0) IS TRUE
              AND CASE WHEN due_date < :day THEN 1 ELSE 0 END = 1
            GROUP BY payer_id, currency
"""
# Reminders that were taken back do not count. By lists of a few reminders, not by looking up each
_STAGE = """
                SELECT max(t.stage)
                FROM reminder_item t
                WHERE t.account_id = :account_id
                  AND t.invoice_id = late.id
                  AND t.reminder_id NOT IN (
                      SELECT r.id
                      FROM reminder r
                      WHERE r.account_id = :account_id AND r.status = 'skipped'
                  )
"""
_IS_RECENT = """EXISTS (
                    SELECT 1
                    FROM reminder_item t
                    WHERE t.account_id = :account_id
                      AND t.invoice_id = f.id
                      AND t.stage > 0
                      AND t.reminder_id IN (
                          SELECT r.id
                          FROM reminder r
                          WHERE r.account_id = :account_id
                            AND r.reminded_date > :latest_{number}
                            AND r.status <> 'skipped'
                      )
                )"""
# More than the invoice decides: several invoices, credit, or what was said about it or the payer
# (`<> 0` beside `< 0`: it is the condition of the index of what is open)
_IS_OTHER = """
                late.invoices > 1
                OR late.payer_id IN (
                    SELECT c.payer_id
                    FROM invoice c
                    WHERE c.account_id = :account_id AND c.open_amount <> 0 AND c.open_amount < 0
                    UNION ALL
                    SELECT c.payer_id
                    FROM payment c
                    WHERE c.account_id = :account_id AND c.unused_amount <> 0
                    UNION ALL
                    SELECT e.subscriber_id
                    FROM erasure e
                    WHERE e.account_id = :account_id
                    UNION ALL
                    SELECT y.subscriber_id
                    FROM payer y
                    WHERE y.account_id = :account_id AND y.reminders_stopped_at IS NOT NULL
                    UNION ALL
                    SELECT g.merged_into
                    FROM subscriber g
                    WHERE g.account_id = :account_id AND g.merged_into IS NOT NULL
                    UNION ALL
                    SELECT g.id
                    FROM subscriber g
                    WHERE g.account_id = :account_id AND g.merged_into IS NOT NULL
                )
                OR EXISTS (
                    SELECT 1
                    FROM debit d
                    WHERE d.account_id = :account_id
                      AND d.invoice_id = late.id
                      AND d.status IN ('waiting', 'collected')
                )
                OR (m.promised_date < :day) IS TRUE
"""
_HAS_EMAIL = """EXISTS (
                    SELECT 1
                    FROM subscriber u
                    WHERE u.account_id = :account_id
                      AND u.id = f.payer_id
                      AND NOT u.is_placeholder
                      AND u.bounced_at IS NULL
                )"""
_HAS_ADDRESS = f"""(
                    EXISTS (
                        SELECT 1
                        FROM subscription s
                        WHERE s.account_id = :account_id
                          AND s.subscriber_id = f.payer_id
                          AND {HAS_ADDRESS}
                    )
                    OR EXISTS (
                        SELECT 1
                        FROM subscriber u
                        WHERE u.account_id = :account_id AND u.id = f.payer_id AND u.country <> ''
                    )
                )"""  # noqa: S608 - a constant


@cache
def _statement(stages: int) -> str:
    """The statement for a number of stages."""
    is_due = " OR ".join(
        "(f.stage = 0 AND f.due_date <= :latest_0)"
        if number == 0
        else f"(f.stage = {number} AND NOT {_IS_RECENT.format(number=number)})"
        for number in range(stages)
    )
    return f"""
    WITH f AS MATERIALIZED (
        SELECT
            late.payer_id,
            late.currency,
            late.id,
            late.amount,
            late.due_date,
            ({_IS_OTHER}) AS is_other,
            (m.is_disputed OR m.is_stopped OR m.promised_date >= :day) IS TRUE AS is_unwanted,
            coalesce(({_STAGE}), 0) AS stage
        FROM ({_LATE}) AS late
        LEFT JOIN reminder_term m ON m.account_id = :account_id AND m.invoice_id = late.id
    ),
    v AS MATERIALIZED (
        SELECT
            f.stage,
            f.payer_id,
            f.currency,
            f.amount,
            CASE
                WHEN f.is_other THEN 'other'
                WHEN f.is_unwanted OR f.amount < :least OR f.stage >= :stages THEN 'left'
                WHEN NOT ({is_due}) THEN 'later'
                WHEN :has_mail AND f.stage NOT IN (:printed... AS bigint) AND {_HAS_EMAIL}
                    THEN 'email'
                WHEN {_HAS_ADDRESS} THEN 'print'
                WHEN :has_mail AND {_HAS_EMAIL} THEN 'email'
                ELSE 'left'
            END AS way
        FROM f
    )
    SELECT t.way, t.stage, t.payer_id, t.currency, t.amount, count(*) AS count
    FROM (
        SELECT v.way, v.stage, '' AS payer_id, '' AS currency, 0 AS amount
        FROM v
        WHERE v.way IN ('email', 'print') AND v.stage <> :listed
        UNION ALL
        SELECT v.way, v.stage, v.payer_id, v.currency, v.amount
        FROM v
        WHERE v.way IN ('left', 'other') OR (v.way <> 'later' AND v.stage = :listed)
    ) AS t
    GROUP BY t.way, t.stage, t.payer_id, t.currency, t.amount
    ORDER BY t.payer_id, t.currency, t.way, t.stage
    """  # noqa: S608 - the constants above


async def count_alike(
    db: Connection,
    account_id: int,
    day: date,
    *,
    latest: Sequence[date],
    printed: Sequence[int],
    least: int,
    has_mail: bool,
    listed: int,
) -> list[AlikePayers]:
    """Count the payers with overdue invoices by what becomes of them on a day.

    latest: for each stage, the last reminder, or the due day, of an invoice for which its next
    reminder is due. printed: the stages of which all reminders are printed, 0 for the first. least:
    the smallest amount. listed: payers whose last reminder was of this stage are rows of their own;
    -1 for none.

    Queries: one, about 5 µs for each payer, read aside. Indexes: invoice_overdue,
    reminder_item_stage.
    """
    return await fetch_all(
        db,
        _statement(len(latest)),
        {
            "account_id": account_id,
            "day": day,
            "stages": len(latest),
            "printed": list(printed),
            "least": least,
            "has_mail": has_mail,
            "listed": listed,
            **{f"latest_{number}": each for number, each in enumerate(latest)},
        },
        into=AlikePayers,
    )
