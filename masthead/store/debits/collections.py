"""Collections: direct debits that go to the bank together, with their file. They never change."""

from collections.abc import Collection as Some, Sequence
from datetime import date

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.clock import now
from masthead.model.debits.rules import CollectedDebit, Collection
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, get_one, insert_row
from masthead.store.update_statement import update_row

_COLLECTION = """
    SELECT
        c.id,
        c.number,
        c.collect_date,
        c.currency,
        c.debits,
        c.total,
        c.created_at,
        c.sent_at,
        c.cancelled_at,
        coalesce(c.is_b2b, FALSE) AS is_b2b
    FROM collection c
    WHERE c.account_id = :account_id
"""


class NumberedCollection(Struct, frozen=True):
    """A collection, for a link to it."""

    id: str
    number: int


class MandatedDebit(Struct, frozen=True):
    """A debit of a collection, with the mandate that allowed it, as a file for the bank has it."""

    id: str
    amount: int
    reference: str
    iban: str


async def insert_collection(
    tx: Transaction, account_id: int, collection: Collection, content: bytes, *, by: Actor
) -> None:
    """Add a collection with its file. Queries: two."""
    await insert_row(
        tx,
        "collection",
        account_id=account_id,
        actor_kind=by.kind,
        actor_id=by.id,
        **structs.asdict(collection),
    )
    await tx.execute(
        """
        INSERT INTO collection_file (account_id, collection_id, content, created_at)
        VALUES (:account_id, :id, :content, :moment)
        """,
        {
            "account_id": account_id,
            "id": collection.id,
            "content": content,
            "moment": collection.created_at,
        },
    )


async def get_collection(db: Connection, account_id: int, id: str) -> Collection:
    """A collection. Queries: one. Raises: NotFound."""
    return await get_one(
        db, account_id, id, _COLLECTION + " AND c.id = :id", into=Collection, noun="collection"
    )


async def get_file(db: Connection, account_id: int, id: str) -> bytes:
    """The file of a collection, byte for byte. Queries: one."""
    content = await find_file(db, account_id, id)
    assert content is not None
    return content


async def find_file(db: Connection, account_id: int, id: str) -> bytes | None:
    """The file of a collection; None if it has none. Queries: one."""
    row = await db.fetch_one(
        """
        SELECT content
        FROM collection_file
        WHERE account_id = :account_id AND collection_id = :id
        """,
        {"account_id": account_id, "id": id},
    )
    return bytes(row["content"]) if row is not None else None


async def list_mandated(db: Connection, account_id: int, id: str) -> list[MandatedDebit]:
    """The debits of a collection with their mandates. Queries: one. Index: debit_by_collection."""
    return await fetch_all(
        db,
        """
        SELECT d.id, d.amount, m.reference, m.iban
        FROM debit d
        JOIN mandate m ON m.account_id = d.account_id AND m.id = d.mandate_id
        WHERE d.account_id = :account_id AND d.collection_id = :id
        """,
        {"account_id": account_id, "id": id},
        into=MandatedDebit,
    )


async def list_collections(db: Connection, account_id: int, limit: int) -> list[Collection]:
    """The newest collections. Queries: one. Index: collection_number."""
    return await fetch_all(
        db,
        _COLLECTION + " ORDER BY c.number DESC LIMIT :limit",
        {"account_id": account_id, "limit": limit},
        into=Collection,
    )


async def find_collections(db: Connection, account_id: int, ids: Some[str]) -> list[Collection]:
    """Some collections. Queries: one."""
    return await fetch_all(
        db,
        _COLLECTION + " AND c.id IN (:ids...) ORDER BY c.number",
        {"account_id": account_id, "ids": list(ids)},
        into=Collection,
    )


async def find_of_lines(
    db: Connection, account_id: int, line_ids: Some[str]
) -> dict[str, NumberedCollection]:
    """The collections that bank lines have booked as one sum, by line. Queries: one.

    Index: debit_by_line. CROSS JOIN keeps SQLite from reading all collections.
    """
    rows = await db.fetch_all(
        """
        SELECT DISTINCT d.line_id, c.id, c.number
        FROM bank_line l
        CROSS JOIN debit d
        CROSS JOIN collection c
        WHERE l.account_id = :account_id AND l.id IN (:ids...)
          AND d.account_id = l.account_id AND d.line_id = l.id
          AND c.account_id = d.account_id AND c.id = d.collection_id
        """,
        {"account_id": account_id, "ids": list(line_ids)},
    )
    return {row["line_id"]: NumberedCollection(row["id"], row["number"]) for row in rows}


async def find_unbooked(
    db: Connection, account_id: int, *, first: date, last: date
) -> Sequence[Collection]:
    """The collections of some days of which debits are not booked yet. Queries: one."""
    return await fetch_all(
        db,
        _COLLECTION  # noqa: S608 - a constant
        + """
          AND c.collect_date BETWEEN :first AND :last
          AND c.cancelled_at IS NULL
          AND EXISTS (
              SELECT 1
              FROM debit d
              WHERE d.account_id = :account_id
                AND d.collection_id = c.id
                AND d.status = 'collected'
          )
        ORDER BY c.number
        """,
        {"account_id": account_id, "first": first, "last": last},
        into=Collection,
    )


async def list_rows(db: Connection, account_id: int, id: str, limit: int) -> list[CollectedDebit]:
    """The debits of a collection with their invoices and mandates. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT
            d.id,
            d.invoice_id,
            i.number,
            i.payer_id,
            i.payer_name,
            m.reference,
            m.iban,
            d.amount,
            d.status,
            d.return_reason,
            d.payment_id
        FROM debit d
        JOIN invoice i ON i.account_id = d.account_id AND i.id = d.invoice_id
        JOIN mandate m ON m.account_id = d.account_id AND m.id = d.mandate_id
        WHERE d.account_id = :account_id AND d.collection_id = :id
        ORDER BY d.id
        LIMIT :limit
        """,
        {"account_id": account_id, "id": id, "limit": limit},
        into=CollectedDebit,
    )


async def update_sent(tx: Transaction, account_id: int, id: str) -> None:
    """Say that the file went to the bank. Queries: one."""
    await update_row(tx, account_id, "collection", id, sent_at=now())


async def update_cancelled(tx: Transaction, account_id: int, id: str) -> None:
    """Say that the file does not go to the bank. Queries: one."""
    await update_row(tx, account_id, "collection", id, cancelled_at=now())
