"""Find the open invoices that a bank line may pay; `model.billing.matching` compares them."""

from collections.abc import Collection, Sequence

from msgspec import Struct

from masthead.model.billing.matching import OpenItem
from masthead.store.engine.interface import Connection
from masthead.store.engine.rows import fetch_all

_OF_AMOUNT = 6  # invoices with one amount: two are enough to see that it says nothing
_MOST = 500  # invoices of a query
_MOST_LINES = 5_000  # of the bank, by which payers are found

_ITEM = """
    SELECT
        i.id,
        i.number,
        i.series,
        i.series_number,
        i.payer_id,
        i.payer_name,
        p.number AS payer_number,
        i.issue_date,
        i.due_date,
        i.currency,
        i.open_amount
    FROM invoice i
    JOIN payer p ON p.account_id = i.account_id AND p.subscriber_id = i.payer_id
    WHERE i.account_id = :account_id
"""
# Without IS TRUE, SQLite reads all open invoices by the index of their amounts
_OPEN = " AND (i.open_amount > 0) IS TRUE "


async def list_series(db: Connection, account_id: int, limit: int) -> list[str]:
    """The series of the invoices, the newest first. Index: number_series_pk. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT s.series
        FROM number_series s
        WHERE s.account_id = :account_id
          AND EXISTS (
              SELECT 1 FROM invoice i WHERE i.account_id = :account_id AND i.series = s.series
          )
        ORDER BY s.series DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "limit": limit},
    )
    return [row["series"] for row in rows]


async def find_by_number(
    db: Connection, account_id: int, numbers: Collection[str]
) -> list[OpenItem]:
    """The open invoices with these numbers. Index: invoice_number. Queries: one."""
    return await _list(db, account_id, " AND i.number IN (:names...)", numbers)


async def find_by_amount(
    db: Connection, account_id: int, amounts: Collection[int]
) -> list[OpenItem]:
    """Up to six open invoices of each amount. Index: invoice_by_open_amount.

    Queries: one for each amount.
    """
    found: list[OpenItem] = []
    for amount in amounts:
        found += await fetch_all(
            db,
            _ITEM
            + """
              AND i.open_amount > 0
              AND i.open_amount = :amount
            ORDER BY i.id
            LIMIT :limit
            """,
            {"account_id": account_id, "amount": amount, "limit": _OF_AMOUNT},
            into=OpenItem,
        )
    return found


async def find_by_name(db: Connection, account_id: int, names: Collection[str]) -> list[OpenItem]:
    """The open invoices of payers with these names, in small letters, at most 500.

    Index: invoice_by_payer_name. Queries: one.
    """
    return await _list(db, account_id, " AND lower(i.payer_name) IN (:names...)", names)


async def find_by_payer(
    db: Connection, account_id: int, payer_ids: Collection[str]
) -> list[OpenItem]:
    """The open invoices of payers, at most 500. Index: invoice_by_payer. Queries: one."""
    return await _list(db, account_id, " AND i.payer_id IN (:names...)", payer_ids)


async def _list(
    db: Connection, account_id: int, condition: str, values: Collection[str]
) -> list[OpenItem]:
    if not values:
        return []
    return await fetch_all(
        db,
        f"{_ITEM} {_OPEN} {condition} LIMIT :limit",
        {"account_id": account_id, "names": list(values), "limit": _MOST},
        into=OpenItem,
    )


class CreditOwner(Struct, frozen=True, kw_only=True):
    """A payer who may have paid too much. number: their customer number.

    invoice: the number of a settled invoice that the payment names; empty if it names none.
    """

    payer_id: str
    name: str
    number: int
    invoice: str = ""


async def find_settled(
    db: Connection, account_id: int, numbers: Collection[str]
) -> list[CreditOwner]:
    """The payers of invoices that are settled already. Index: invoice_number. Queries: one."""
    if not numbers:
        return []
    return await fetch_all(
        db,
        """
        SELECT i.payer_id, i.payer_name AS name, p.number, i.number AS invoice
        FROM invoice i
        JOIN payer p ON p.account_id = i.account_id AND p.subscriber_id = i.payer_id
        WHERE i.account_id = :account_id
          AND i.number IN (:numbers...)
          AND i.kind = 'invoice'
          AND i.open_amount <= 0
        ORDER BY i.id
        """,
        {"account_id": account_id, "numbers": list(numbers)},
        into=CreditOwner,
    )


async def find_known(
    db: Connection, account_id: int, ibans: Collection[str]
) -> list[tuple[str, str, str]]:
    """Who paid before from masked IBANs: IBAN, name on whose behalf, and payer.

    Of an IBAN that thousands share, only some. Index: bank_line_by_iban. Queries: one.
    """
    if not ibans:
        return []
    rows = await db.fetch_all(
        """
        SELECT DISTINCT t.iban, t.name, p.payer_id
        FROM (
            SELECT l.iban, coalesce(nullif(l.ultimate_name, ''), l.name) AS name, l.payment_id
            FROM bank_line l
            WHERE l.account_id = :account_id
              AND l.iban IN (:ibans...)
              AND l.payment_id IS NOT NULL
            LIMIT :lines
        ) AS t
        JOIN payment p ON p.account_id = :account_id AND p.id = t.payment_id
        WHERE p.payer_id IS NOT NULL
        LIMIT :limit
        """,
        {"account_id": account_id, "ibans": list(ibans), "lines": _MOST_LINES, "limit": _MOST},
    )
    return [(row["iban"], row["name"], row["payer_id"]) for row in rows]


async def search_items(
    db: Connection, account_id: int, text: str, limit: int
) -> Sequence[OpenItem]:
    """The open invoices whose number or payer has a text, or whose payer has it as a number.

    text: in small letters. Reads all open invoices: read aside. Queries: one.
    """
    return await fetch_all(
        db,
        _ITEM
        + """
          AND i.open_amount > 0
          AND (
              lower(i.number) LIKE :pattern ESCAPE '!'
              OR lower(i.payer_name) LIKE :pattern ESCAPE '!'
              OR p.number = :number
          )
        ORDER BY i.due_date, i.id
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "pattern": f"%{_escape(text)}%",
            "number": int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1,
            "limit": limit,
        },
        into=OpenItem,
    )


def _escape(text: str) -> str:
    return text.replace("!", "!!").replace("%", "!%").replace("_", "!_")
