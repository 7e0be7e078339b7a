"""Sums of documents and payments by day, so that pages about a year read few rows.

Documents never change, and of a payment only what it is for, and whether it was undone. So the
background work adds them up once, in the order of their ids, and pages add the newest ones, whose
ids are larger. Undone payments are part of the sums; pages subtract them. See decision 0091.
"""

from datetime import date

from msgspec import Struct, structs

from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_one
from masthead.store.update_statement import upsert_row


class SummedUntil(Struct, frozen=True):
    """The last ids that the sums include, empty at first, and how many they are."""

    last_invoice: str = ""
    invoices: int = 0
    last_payment: str = ""
    payments: int = 0


async def find_summed(db: Connection, account_id: int) -> SummedUntil:
    """How far the documents and payments of an account were added up. Queries: one."""
    found = await fetch_one(
        db,
        """
        SELECT last_invoice, invoices, last_payment, payments
        FROM summed_until
        WHERE account_id = :account_id
        """,
        {"account_id": account_id},
        into=SummedUntil,
    )
    return found or SummedUntil()


async def lock_summed(tx: Transaction, account_id: int) -> SummedUntil:
    """The same, and nobody else adds up until the transaction ends. Queries: three."""
    await tx.execute(
        """
        INSERT INTO summed_until (account_id, last_invoice, invoices, last_payment, payments)
        VALUES (:account_id, '', 0, '', 0)
        ON CONFLICT (account_id) DO NOTHING
        """,
        {"account_id": account_id},
    )
    await tx.execute(
        "UPDATE summed_until SET invoices = invoices WHERE account_id = :account_id",
        {"account_id": account_id},
    )
    return await find_summed(tx, account_id)


async def update_summed(tx: Transaction, account_id: int, summed: SummedUntil) -> None:
    """Store how far everything was added up. Queries: one."""
    await upsert_row(tx, account_id, "summed_until", [], **structs.asdict(summed))


async def count_until(db: Connection, account_id: int, summed: SummedUntil) -> tuple[int, int]:
    """How many documents and payments there are up to those ids. Queries: two, read aside.

    About 30 ns for each.
    """
    counts = []
    for table, last in (("invoice", summed.last_invoice), ("payment", summed.last_payment)):
        row = await db.fetch_one(
            f"SELECT count(*) AS count FROM {table}"  # noqa: S608 - our own names
            " WHERE account_id = :account_id AND id <= :last",
            {"account_id": account_id, "last": last},
        )
        counts.append(row["count"] if row else 0)
    return counts[0], counts[1]


async def find_batch(
    db: Connection, account_id: int, table: str, *, after: str, before: str, limit: int
) -> tuple[str, int]:
    """The last id of the next rows of a table, and how many they are; both of a batch at most.

    Queries: one. Index: the primary key.
    """
    row = await db.fetch_one(
        f"""
        SELECT max(b.id) AS last, count(*) AS count
        FROM (
            SELECT id
            FROM {table}
            WHERE account_id = :account_id AND id > :after AND id < :before
            ORDER BY id
            LIMIT :limit
        ) AS b
        """,  # noqa: S608 - our own names
        {"account_id": account_id, "after": after, "before": before, "limit": limit},
    )
    return (row["last"], row["count"]) if row and row["count"] else (after, 0)


ADD_INVOICES = """
    INSERT INTO billed_sum (
        account_id, issue_date, currency, kind, country, category, rate, net, vat
    )
    SELECT
        :account_id,
        i.issue_date,
        i.currency,
        i.kind,
        l.country,
        l.category,
        l.rate,
        CAST(sum(l.net) AS bigint),
        CAST(sum(l.vat) AS bigint)
    FROM invoice i
    JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
    WHERE i.account_id = :account_id AND i.id > :after AND i.id <= :last
    GROUP BY i.issue_date, i.currency, i.kind, l.country, l.category, l.rate
    ON CONFLICT (account_id, issue_date, currency, kind, country, category, rate) DO UPDATE
    SET net = billed_sum.net + excluded.net, vat = billed_sum.vat + excluded.vat
"""
ADD_PAYMENTS = """
    INSERT INTO paid_sum (account_id, payment_date, currency, source_id, product_id, amount)
    SELECT
        :account_id,
        payment_date,
        currency,
        coalesce(source_id, ''),
        coalesce(product_id, ''),
        CAST(sum(amount) AS bigint)
    FROM payment
    WHERE account_id = :account_id AND id > :after AND id <= :last
    GROUP BY payment_date, currency, coalesce(source_id, ''), coalesce(product_id, '')
    ON CONFLICT (account_id, payment_date, currency, source_id, product_id) DO UPDATE
    SET amount = paid_sum.amount + excluded.amount
"""


async def add_rows(
    tx: Transaction, account_id: int, statement: str, *, after: str, last: str
) -> None:
    """Add the rows of some ids to the sums. statement: `ADD_INVOICES` or `ADD_PAYMENTS`.

    Queries: one, about 5 µs for each row.
    """
    await tx.execute(statement, {"account_id": account_id, "after": after, "last": last})


async def delete_sums(tx: Transaction, account_id: int) -> None:
    """Forget all sums, so that they are added up again. Queries: three."""
    for table in ("billed_sum", "paid_sum", "summed_until"):
        await tx.execute(
            f"DELETE FROM {table} WHERE account_id = :account_id",  # noqa: S608 - our own names
            {"account_id": account_id},
        )


async def move_paid(
    tx: Transaction, account_id: int, payment_id: str, source_id: str | None
) -> None:
    """Move a payment within the sums, as what it is for is known now. Queries: one.

    source_id: of before, when no product was known. Nothing happens if the sums do not have it yet.
    """
    await tx.execute(
        """
        INSERT INTO paid_sum (account_id, payment_date, currency, source_id, product_id, amount)
        SELECT
            m.account_id,
            m.payment_date,
            m.currency,
            CASE WHEN t.sign = 1 THEN coalesce(m.source_id, '') ELSE :source_id END,
            CASE WHEN t.sign = 1 THEN coalesce(m.product_id, '') ELSE '' END,
            t.sign * m.amount
        FROM payment m
        JOIN summed_until s ON s.account_id = m.account_id AND m.id <= s.last_payment
        CROSS JOIN (SELECT 1 AS sign UNION ALL SELECT -1 AS sign) AS t
        WHERE m.account_id = :account_id AND m.id = :id
        ON CONFLICT (account_id, payment_date, currency, source_id, product_id) DO UPDATE
        SET amount = paid_sum.amount + excluded.amount
        """,
        {"account_id": account_id, "id": payment_id, "source_id": source_id or ""},
    )


# --- What pages read: sums, and the newest rows. No condition of days for the newest: with one,
# SQLite would read all rows of these days instead. `BILLED` groups in the order of the index -----

SOLD = """
    SELECT
        min(issue_date) AS day,
        currency,
        kind,
        country,
        category,
        rate,
        CAST(sum(net) AS bigint) AS net,
        CAST(sum(vat) AS bigint) AS vat
    FROM billed_sum
    WHERE account_id = :account_id AND issue_date BETWEEN :first AND :last
    GROUP BY currency, country, category, rate, kind
    UNION ALL
    SELECT i.issue_date, i.currency, i.kind, l.country, l.category, l.rate, l.net, l.vat
    FROM invoice i
    JOIN invoice_line l ON l.account_id = i.account_id AND l.invoice_id = i.id
    WHERE i.account_id = :account_id AND i.id > :last_invoice
"""
BILLED = """
    SELECT issue_date AS day, currency, kind, CAST(sum(net + vat) AS bigint) AS amount
    FROM billed_sum
    WHERE account_id = :account_id AND issue_date >= :first
    GROUP BY issue_date, currency, kind
    UNION ALL
    SELECT issue_date, currency, kind, total
    FROM invoice
    WHERE account_id = :account_id AND id > :last_invoice
"""
PAID = """
    SELECT payment_date AS day, currency, source_id, product_id, amount
    FROM paid_sum
    WHERE account_id = :account_id AND payment_date >= :first
    UNION ALL
    SELECT
        payment_date,
        currency,
        coalesce(source_id, ''),
        coalesce(product_id, ''),
        CASE WHEN undone_at IS NULL THEN amount ELSE 0 END
    FROM payment
    WHERE account_id = :account_id AND id > :last_payment
    UNION ALL
    SELECT
        payment_date,
        currency,
        coalesce(source_id, ''),
        coalesce(product_id, ''),
        -amount
    FROM payment
    WHERE account_id = :account_id AND undone_at IS NOT NULL AND id <= :last_payment
"""


async def summed_parameters(
    db: Connection, account_id: int, first: date, last: date
) -> dict[str, object]:
    """The parameters of `SOLD`, `BILLED` and `PAID`. Queries: one."""
    summed = await find_summed(db, account_id)
    return {
        "account_id": account_id,
        "first": first,
        "last": last,
        "last_invoice": summed.last_invoice,
        "last_payment": summed.last_payment,
    }
