"""What users have to do about direct debits: collect what is due, and look at what came back."""

from datetime import date

from masthead.model.debits.rules import ReturnedDebit
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

# The last debit of an open invoice came back, and it is not collected again
_RETURNED = """
    FROM debit d
    JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
    WHERE d.account_id = :account_id
      AND d.status = 'returned'
      AND (i.open_amount > 0) IS TRUE
      AND NOT EXISTS (
          SELECT 1
          FROM debit o
          WHERE o.account_id = :account_id
            AND o.invoice_id = d.invoice_id
            AND (o.id > d.id OR o.status IN ('waiting', 'collected'))
      )
"""


async def count_returned(db: Connection, account_id: int) -> int:
    """How many invoices are open because their debit came back, and are not collected again.

    Queries: one. Index: debit_by_status.
    """
    row = await db.fetch_one(f"SELECT count(*) AS count {_RETURNED}", {"account_id": account_id})
    assert row is not None
    return int(row["count"])


async def list_returned(db: Connection, account_id: int, limit: int) -> list[ReturnedDebit]:
    """These debits, those that came back last first. Queries: one. Index: debit_by_status."""
    return await fetch_all(
        db,
        f"""
        SELECT
            d.invoice_id,
            i.number,
            i.payer_id,
            i.payer_name,
            i.currency,
            i.open_amount,
            d.return_reason,
            d.returned_date
        {_RETURNED}
        ORDER BY d.returned_date DESC, d.id DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "limit": limit},
        into=ReturnedDebit,
    )


# The payer's email, and the debit, in the document of the invoice `i`
_DOCUMENT = {
    "sqlite": {
        "email": "i.document ->> '$.payer.email'",
        "day": "i.document ->> '$.debit.day'",
        "reference": "i.document ->> '$.debit.reference'",
    },
    "postgres": {
        "email": "CAST(i.document AS json) #>> '{payer,email}'",
        "day": "CAST(i.document AS json) #>> '{debit,day}'",
        "reference": "CAST(i.document AS json) #>> '{debit,reference}'",
    },
}


async def list_to_print(db: Connection, account_id: int, limit: int) -> list[str]:
    """The ids of the waiting debits whose notice goes by letter, the first to collect first.

    Their invoices do not name the day and the mandate, and no email address is known. Queries: one.
    Index: debit_by_status.
    """
    columns = _DOCUMENT[db.dialect]
    rows = await db.fetch_all(
        f"""
        SELECT d.id
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        JOIN mandate m ON m.account_id = d.account_id AND m.id = d.mandate_id
        WHERE d.account_id = :account_id
          AND d.status = 'waiting'
          AND (i.open_amount > 0) IS TRUE
          AND coalesce({columns["email"]}, '') = ''
          AND (
              coalesce({columns["day"]}, '') <> CAST(d.collect_date AS text)
              OR coalesce({columns["reference"]}, '') <> m.reference
          )
        ORDER BY d.collect_date, d.id
        LIMIT :limit
        """,  # noqa: S608 - the constants above
        {"account_id": account_id, "limit": limit},
    )
    return [row["id"] for row in rows]


async def count_due(db: Connection, account_id: int, last_day: date) -> int:
    """How many debits can be collected up to a day. Queries: one. Index: debit_by_status."""
    row = await db.fetch_one(
        """
        SELECT count(*) AS count
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        WHERE d.account_id = :account_id
          AND d.status = 'waiting'
          AND d.collect_date <= :last_day
          AND (i.open_amount > 0) IS TRUE
        """,
        {"account_id": account_id, "last_day": last_day},
    )
    assert row is not None
    return int(row["count"])
