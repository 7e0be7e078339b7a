"""Invoices that replace others: their orders were billed again after a credit note."""

from collections import defaultdict

from msgspec import Struct

from masthead.store.engine.interface import Connection


class Replacement(Struct, frozen=True):
    """Another invoice with the same orders. is_whole: whether all orders of the older are on both.

    is_older: whether the other one was replaced, and did not replace.
    """

    invoice_id: str
    number: str
    is_older: bool
    is_whole: bool


async def list_replacements(db: Connection, account_id: int, id: str) -> list[Replacement]:
    """The invoices that an invoice replaced, and those that replaced it, oldest first.

    Of several in a row, only the nearest of each order. Queries: one or two.
    Index: invoice_line_by_period.
    """
    rows = await db.fetch_all(
        """
        SELECT o.period_id, i.id, i.number
        FROM invoice_line l
        CROSS JOIN invoice_line o
        CROSS JOIN invoice i
        WHERE l.account_id = :account_id
          AND l.invoice_id = :id
          AND o.account_id = l.account_id
          AND o.period_id = l.period_id
          AND i.account_id = o.account_id
          AND i.id = o.invoice_id
          AND i.id <> :id
          AND i.kind = 'invoice'
        ORDER BY i.id
        """,
        {"account_id": account_id, "id": id},
    )
    older, newer = dict[int, str](), dict[int, str]()
    for row in rows:
        if row["id"] < id:
            older[row["period_id"]] = row["id"]
        else:
            newer.setdefault(row["period_id"], row["id"])
    numbers = {row["id"]: row["number"] for row in rows}
    near = sorted({*older.values(), *newer.values()})
    orders = await _list_orders(db, account_id, [id, *near]) if near else {}
    return [
        Replacement(
            each,
            numbers[each],
            is_older=each < id,
            is_whole=orders[min(each, id)] <= orders[max(each, id)],
        )
        for each in near
    ]


async def _list_orders(db: Connection, account_id: int, ids: list[str]) -> dict[str, set[int]]:
    """The periods of the orders on some invoices. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT invoice_id, period_id
        FROM invoice_line
        WHERE account_id = :account_id AND invoice_id IN (:ids...)
        """,
        {"account_id": account_id, "ids": ids},
    )
    found = defaultdict[str, set[int]](set)
    for row in rows:
        found[row["invoice_id"]].add(row["period_id"])
    return found
