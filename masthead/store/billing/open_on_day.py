"""What was open at the end of a day: it is counted back from what is open now.

A settlement counts from the day on which both of its sides exist. Payments that were undone later
count as if they had never been, as in the receivables of the journal.
"""

from datetime import date

from masthead.model.billing.lists import OpenEntry, OpenSums, age_days
from masthead.model.ids import LAST_ID
from masthead.model.pagination import Page, PageRequest, cut_page
from masthead.store.billing.open_sums import AGES, PAYER_NAME
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# later: the settlements that did not count yet. CROSS JOIN keeps SQLite from reading all documents;
# IS TRUE and MATERIALIZED, from reading all settlements for each document
_OPEN = """
    WITH later AS MATERIALIZED (
        SELECT s.invoice_id, s.credit_note_id, s.payment_id, s.payback_id, s.amount
        FROM settlement s
        WHERE s.account_id = :account_id AND s.settled_date > :day
        UNION ALL
        SELECT s.invoice_id, s.credit_note_id, s.payment_id, s.payback_id, s.amount
        FROM invoice i
        CROSS JOIN settlement s
        WHERE i.account_id = :account_id
          AND i.issue_date > :day
          AND s.account_id = :account_id
          AND s.invoice_id = i.id
          AND (s.settled_date <= :day) IS TRUE
        UNION ALL
        SELECT s.invoice_id, s.credit_note_id, s.payment_id, s.payback_id, s.amount
        FROM payment p
        CROSS JOIN settlement s
        WHERE p.account_id = :account_id
          AND p.payment_date > :day
          AND s.account_id = :account_id
          AND s.payment_id = p.id
          AND (s.settled_date <= :day) IS TRUE
          AND NOT EXISTS (
              SELECT 1
              FROM invoice i
              WHERE i.account_id = :account_id AND i.id = s.invoice_id AND i.issue_date > :day
          )
    ),
    entry AS (
        SELECT
            i.id,
            i.kind,
            i.number AS text,
            i.payer_id,
            i.issue_date AS day,
            i.due_date,
            i.currency,
            CASE WHEN i.kind = 'credit_note' THEN -i.total ELSE i.total END AS total,
            CAST(sum(part.amount) AS bigint) AS open_amount
        FROM (
            SELECT id, open_amount AS amount
            FROM invoice
            WHERE account_id = :account_id AND open_amount <> 0
            UNION ALL
            SELECT invoice_id, amount FROM later WHERE invoice_id IS NOT NULL
            UNION ALL
            SELECT credit_note_id, -amount FROM later WHERE credit_note_id IS NOT NULL
        ) AS part
        CROSS JOIN invoice i
        WHERE i.account_id = :account_id AND i.id = part.id AND i.issue_date <= :day
        GROUP BY
            i.id, i.kind, i.number, i.payer_id, i.issue_date, i.due_date, i.currency, i.total
        UNION ALL
        SELECT
            p.id,
            'payment',
            p.reference,
            coalesce(p.payer_id, ''),
            p.payment_date,
            NULL,
            p.currency,
            -p.amount,
            CAST(-sum(part.amount) AS bigint)
        FROM (
            SELECT id, unused_amount AS amount
            FROM payment
            WHERE account_id = :account_id AND unused_amount <> 0
            UNION ALL
            SELECT payment_id, amount FROM later WHERE payment_id IS NOT NULL
            UNION ALL
            SELECT payback_id, -amount FROM later WHERE payback_id IS NOT NULL
        ) AS part
        CROSS JOIN payment p
        WHERE p.account_id = :account_id
          AND p.id = part.id
          AND p.payment_date <= :day
          AND p.undone_at IS NULL
        GROUP BY p.id, p.reference, p.payer_id, p.payment_date, p.currency, p.amount
    )
"""
# The columns that sums by age are made of
_O = """
    (
        SELECT
            payer_id,
            currency,
            due_date,
            CASE WHEN kind <> 'payment' AND open_amount > 0 THEN open_amount ELSE 0 END AS owed,
            CASE WHEN kind <> 'payment' AND open_amount < 0 THEN -open_amount ELSE 0 END AS credit,
            CASE WHEN kind = 'payment' THEN -open_amount ELSE 0 END AS unused
        FROM entry
        WHERE open_amount <> 0
    ) AS o
"""


async def sum_open_on(db: Connection, account_id: int, day: date) -> list[OpenSums]:
    """What was open of all payers at the end of a day, by currency. Queries: one, read aside.

    About 3 µs for each document and payment that is open or was settled since, as the lists below.
    Indexes: settlement_by_date, invoice_by_date, payment_by_date, and those of what is open.
    """
    return await fetch_all(
        db,
        f"""
        {_OPEN}
        SELECT o.currency, {AGES}
        FROM {_O}
        GROUP BY o.currency
        ORDER BY o.currency
        """,  # noqa: S608 - our own names
        _parameters(account_id, day),
        into=OpenSums,
    )


async def list_by_payer_on(
    db: Connection, account_id: int, request: PageRequest, day: date
) -> Page[OpenSums]:
    """What was open of each payer at the end of a day, most first. Queries: one, read aside."""
    owed, payer, currency = (request.after or f"{2**62}/{LAST_ID}/~").split("/")
    found = await fetch_all(
        db,
        f"""
        {_OPEN}
        SELECT g.*, {PAYER_NAME}
        FROM (
            SELECT o.payer_id, o.currency, CAST(sum(o.owed) AS bigint) AS owed, {AGES}
            FROM {_O}
            GROUP BY o.payer_id, o.currency
        ) AS g
        LEFT JOIN subscriber u ON u.account_id = :account_id AND u.id = g.payer_id
        WHERE (g.owed, g.payer_id, g.currency) < (:owed, :payer, :currency)
        ORDER BY g.owed DESC, g.payer_id DESC, g.currency DESC
        LIMIT :limit
        """,  # noqa: S608 - our own names
        {
            **_parameters(account_id, day),
            "owed": int(owed),
            "payer": payer,
            "currency": currency,
            "limit": request.fetch,
        },
        into=OpenSums,
    )
    return cut_page(found, request, key="key")


async def list_entries_on(
    db: Connection, account_id: int, request: PageRequest, day: date
) -> Page[OpenEntry]:
    """What was open at the end of a day: documents and payments, what was due first before.

    Queries: one, read aside.
    """
    since, _, id = (request.after or "0001-01-01/").partition("/")
    found = await fetch_all(
        db,
        f"""
        {_OPEN}
        SELECT o.*, y.number AS customer, {PAYER_NAME}
        FROM entry o
        LEFT JOIN payer y ON y.account_id = :account_id AND y.subscriber_id = o.payer_id
        LEFT JOIN subscriber u ON u.account_id = :account_id AND u.id = o.payer_id
        WHERE o.open_amount <> 0
          AND (coalesce(o.due_date, o.day), o.id) > (:since, :after)
        ORDER BY coalesce(o.due_date, o.day), o.id
        LIMIT :limit
        """,  # noqa: S608 - our own names
        {
            **_parameters(account_id, day),
            "since": date.fromisoformat(since),
            "after": id,
            "limit": request.fetch,
        },
        into=OpenEntry,
    )
    return cut_page(found, request, key="key")


def _parameters(account_id: int, day: date) -> dict[str, object]:
    return {"account_id": account_id, "day": day, **age_days(day)}
