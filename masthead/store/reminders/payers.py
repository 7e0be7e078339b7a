"""How many payers get which reminder on a day, counted by the database.

It follows `group_letters`. Payers for whom that is not enough are named, to be planned one by one.
"""

from collections.abc import Sequence
from datetime import date
from functools import cache

from msgspec import Struct

from masthead.store.billing.payers import HAS_ADDRESS
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all


class OverduePayers(Struct, frozen=True, kw_only=True):
    """A number of payers with the same reminder; or one who is named, who is not counted again.

    way: how it goes out, `email` or `print`; `unreached` if there is no address; `none` if it is
    not due; `other` if more than this decides. stage: the last one before it; -1 if it is not due.
    payer_id, currency: of one who is named; else empty. left_out: their overdue invoices without a
    reminder.
    """

    way: str
    stage: int
    payer_id: str
    currency: str
    count: int
    left_out: int


# Who gets no reminders: `stopped`
_STOPPED = """
        SELECT e.subscriber_id AS payer_id
        FROM erasure e
        WHERE e.account_id = :account_id
        UNION
        SELECT y.subscriber_id
        FROM payer y
        WHERE y.account_id = :account_id AND y.reminders_stopped_at IS NOT NULL
        UNION
        SELECT g.merged_into
        FROM payer y
        JOIN subscriber g ON g.account_id = y.account_id AND g.id = y.subscriber_id
        WHERE y.account_id = :account_id
          AND y.reminders_stopped_at IS NOT NULL
          AND g.merged_into IS NOT NULL
"""
_IS_LEFT = """i.reminder_stage >= :stages
                OR i.open_amount < :least
                OR m.is_disputed
                OR m.is_stopped
                OR m.promised_date >= :day
                OR stopped.payer_id IS NOT NULL
                OR d.invoice_id IS NOT NULL"""
_IS_DUE = """WHEN {stage} THEN
                coalesce(i.reminded_date, i.due_date) <= :latest_{stage}
                AND coalesce(m.promised_date <= :latest_{stage}, TRUE)"""
# The condition is that of the index `invoice_overdue`, in whose order the payers are grouped. CASE
# keeps both databases from reading by the due day
_OWING = """
        SELECT
            i.payer_id,
            i.currency,
            max(CASE WHEN {is_left} THEN -1 WHEN {is_due} THEN i.reminder_stage ELSE -1 END)
                AS stage,
            max(CASE WHEN {is_left} THEN -1 ELSE i.reminder_stage END) AS highest,
            sum(CASE WHEN {is_left} THEN 0 ELSE i.open_amount END) AS amount,
            sum(CASE WHEN {is_left} THEN 0 WHEN {is_due} THEN 1 ELSE 0 END) AS due,
            sum(CASE WHEN {is_left} THEN 1 ELSE 0 END) AS left_out
        FROM invoice i
        LEFT JOIN reminder_term m ON m.account_id = :account_id AND m.invoice_id = i.id
        LEFT JOIN debit d
            ON d.account_id = :account_id
            AND d.invoice_id = i.id
            AND d.status IN ('waiting', 'collected')
        LEFT JOIN stopped ON stopped.payer_id = i.payer_id
        WHERE i.account_id = :account_id
          AND (i.kind = 'invoice' AND i.open_amount > 0) IS TRUE
          AND CASE WHEN i.due_date < :day THEN 1 ELSE 0 END = 1
        GROUP BY i.payer_id, i.currency
"""
# Who has credit may owe nothing; the address of who was merged is another's
_IS_OTHER = """owing.highest > owing.stage
                    OR owing.payer_id IN (
                        SELECT c.payer_id
                        FROM invoice c
                        WHERE c.account_id = :account_id AND c.open_amount < 0
                        UNION ALL
                        SELECT c.payer_id
                        FROM payment c
                        WHERE c.account_id = :account_id AND c.unused_amount <> 0
                        UNION ALL
                        SELECT g.id
                        FROM subscriber g
                        WHERE g.account_id = :account_id AND g.merged_into IS NOT NULL
                    )"""
# BETWEEN: for an equal id, SQLite takes an index of all rows, and then reads the whole row
_HAS_EMAIL = """NOT EXISTS (
                    SELECT 1
                    FROM subscriber u
                    WHERE u.account_id = :account_id
                      AND u.id BETWEEN owing.payer_id AND owing.payer_id
                      AND (u.is_placeholder OR u.bounced_at IS NOT NULL)
                )"""
_HAS_ADDRESS = f"""(
                    EXISTS (
                        SELECT 1
                        FROM subscription s
                        WHERE s.account_id = :account_id
                          AND s.subscriber_id BETWEEN owing.payer_id AND owing.payer_id
                          AND {HAS_ADDRESS}
                    )
                    OR EXISTS (
                        SELECT 1
                        FROM subscriber u
                        WHERE u.account_id = :account_id
                          AND u.id = owing.payer_id
                          AND u.country <> ''
                    )
                )"""  # noqa: S608 - a constant


@cache
def _statement(stages: int) -> str:
    """The statement for a number of stages."""
    by_stage = " ".join(_IS_DUE.format(stage=stage) for stage in range(stages))
    is_due = f"CASE i.reminder_stage {by_stage} END"
    return f"""
    WITH stopped AS MATERIALIZED ({_STOPPED}),
    owing AS ({_OWING.format(is_left=_IS_LEFT, is_due=is_due)}),
    decided AS MATERIALIZED (
        SELECT
            owing.*,
            CASE
                WHEN owing.stage < 0 THEN 'none'
                WHEN {_IS_OTHER} THEN 'other'
                WHEN :has_mail AND owing.stage NOT IN (:printed... AS bigint) AND {_HAS_EMAIL}
                    THEN 'email'
                WHEN {_HAS_ADDRESS} THEN 'print'
                WHEN :has_mail AND {_HAS_EMAIL} THEN 'email'
                ELSE 'unreached'
            END AS way
        FROM owing
        WHERE :listed < 0 OR owing.stage = :listed
    ),
    named AS (
        SELECT decided.way, decided.stage, decided.payer_id, decided.currency
        FROM decided
        WHERE CASE
            WHEN :listed >= 0 THEN decided.way IN ('email', 'print')
            WHEN decided.way = 'unreached' THEN 1 = 1
            ELSE decided.left_out > 0 AND decided.way <> 'other'
        END
        ORDER BY
            CASE WHEN :listed < 0 THEN 0 ELSE -decided.amount END,
            decided.payer_id,
            decided.currency
        LIMIT :most
    )
    SELECT
        decided.way,
        decided.stage,
        '' AS payer_id,
        '' AS currency,
        count(*) AS count,
        CAST(sum(
            decided.left_out + CASE WHEN decided.way = 'unreached' THEN decided.due ELSE 0 END
        ) AS bigint) AS left_out
    FROM decided
    WHERE decided.way <> 'other'
    GROUP BY decided.way, decided.stage
    UNION ALL
    SELECT decided.way, decided.stage, decided.payer_id, decided.currency, 1, 0
    FROM decided
    WHERE decided.way = 'other'
    UNION ALL
    SELECT named.way, named.stage, named.payer_id, named.currency, 1, 0
    FROM named
    """  # noqa: S608 - the constants above


async def count_overdue(
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
) -> list[OverduePayers]:
    """Count the payers with overdue invoices by what becomes of them on a day.

    latest: for each stage, the last reminder, or the due day, of an invoice for which its next
    reminder is due. printed: the stages of which all reminders are printed, 0 for the first. least:
    the smallest amount. listed: only payers whose last reminder is of this stage are counted, and
    at most `most` of them named, those who owe most; -1 counts all payers, and names the first of
    those with an invoice without a reminder. All `other` payers are named.

    Queries: one, about 3 µs for each invoice, read aside. Indexes: invoice_overdue,
    debit_in_progress, subscriber_without_email, subscription_with_address, invoice_credit.
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
        into=OverduePayers,
    )
