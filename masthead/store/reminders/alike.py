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
    """A number of payers who are alike, with one overdue invoice each; or one who is named.

    way: how their reminder goes out, `email` or `print`; `left` if there is none although it is
    overdue; `other` if more than the invoice decides. stage: of the last reminder, 0 for none.
    payer_id, currency: of one who is named; else empty. Who is named is counted, too.
    """

    way: str
    stage: int
    payer_id: str
    currency: str
    count: int


# The stage is that of the only invoice, unless there are several; reminders that were taken back
# do not count. The condition is that of the index `invoice_overdue`. CASE keeps both
# databases from reading by the due day
_LATE = """
            SELECT
                i.payer_id,
                i.currency,
                min(i.id) AS id,
                min(i.due_date) AS due_date,
                max(i.open_amount) AS amount,
                min(i.id) <> max(i.id) AS is_several,
                {is_recent}
                coalesce(max(t.stage), 0) AS stage
            FROM invoice i
            LEFT JOIN reminder_item t ON t.account_id = i.account_id
              AND t.invoice_id = i.id
              AND t.reminder_id NOT IN (
                  SELECT r.id
                  FROM reminder r
                  WHERE r.account_id = :account_id AND r.status = 'skipped'
              )
            WHERE i.account_id = :account_id
              AND (i.kind = 'invoice' AND i.open_amount > 0) IS TRUE
              AND CASE WHEN i.due_date < :day THEN 1 ELSE 0 END = 1
            GROUP BY i.payer_id, i.currency
"""
# By a list of a few reminders, not by looking up each
_IS_RECENT = """max(
                    CASE
                        WHEN t.stage > 0
                            AND t.reminder_id IN (
                                SELECT r.id
                                FROM reminder r
                                WHERE r.account_id = :account_id
                                  AND r.reminded_date > :latest_{number}
                            )
                            THEN 1
                        ELSE 0
                    END
                ) AS is_recent_{number},
"""
# More than the invoice decides: several invoices, credit, or what was said about it or the payer
_IS_OTHER = """
                late.is_several
                OR late.payer_id IN (
                    SELECT c.payer_id
                    FROM invoice c
                    WHERE c.account_id = :account_id AND c.open_amount < 0
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
# BETWEEN: for an equal id, SQLite takes an index of all rows, and then reads the whole row
_HAS_EMAIL = """NOT EXISTS (
                    SELECT 1
                    FROM subscriber u
                    WHERE u.account_id = :account_id
                      AND u.id BETWEEN f.payer_id AND f.payer_id
                      AND (u.is_placeholder OR u.bounced_at IS NOT NULL)
                )"""
_HAS_ADDRESS = f"""(
                    EXISTS (
                        SELECT 1
                        FROM subscription s
                        WHERE s.account_id = :account_id
                          AND s.subscriber_id BETWEEN f.payer_id AND f.payer_id
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
    later = range(1, stages)
    is_recent = "".join(_IS_RECENT.format(number=number) for number in later)
    is_due = " OR ".join(
        [
            "(f.stage = 0 AND f.due_date <= :latest_0)",
            *(f"(f.stage = {number} AND f.is_recent_{number} = 0)" for number in later),
        ]
    )
    return f"""
    WITH f AS MATERIALIZED (
        SELECT
            late.*,
            ({_IS_OTHER}) AS is_other,
            (m.is_disputed OR m.is_stopped OR m.promised_date >= :day) IS TRUE AS is_unwanted
        FROM ({_LATE.format(is_recent=is_recent)}) AS late
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
    SELECT v.way, v.stage, '' AS payer_id, '' AS currency, count(*) AS count
    FROM v
    WHERE v.way IN ('email', 'print', 'left')
    GROUP BY v.way, v.stage
    UNION ALL
    SELECT v.way, v.stage, v.payer_id, v.currency, 1
    FROM v
    WHERE v.way = 'other'
    UNION ALL
    SELECT named.way, named.stage, named.payer_id, named.currency, 1
    FROM (
        SELECT v.way, v.stage, v.payer_id, v.currency
        FROM v
        WHERE CASE
            WHEN :listed < 0 THEN v.way = 'left'
            ELSE v.way IN ('email', 'print') AND v.stage = :listed
        END
        ORDER BY CASE WHEN :listed < 0 THEN 0 ELSE -v.amount END, v.payer_id, v.currency
        LIMIT :most
    ) AS named
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
    most: int,
) -> list[AlikePayers]:
    """Count the payers with overdue invoices by what becomes of them on a day.

    latest: for each stage, the last reminder, or the due day, of an invoice for which its next
    reminder is due. printed: the stages of which all reminders are printed, 0 for the first. least:
    the smallest amount. listed: the stage of the last reminder of those who are named: at most
    `most`, who owe most; -1 to name the first who get none. All `other` payers are named.

    Queries: one, about 3 µs for each payer, read aside. Indexes: invoice_overdue,
    reminder_item_stage, subscriber_without_email, subscription_with_address, invoice_credit.
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
            "most": most,
            **{f"latest_{number}": each for number, each in enumerate(latest)},
        },
        into=AlikePayers,
    )
