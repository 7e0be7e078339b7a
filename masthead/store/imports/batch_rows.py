"""The rows of imports: what became of each, and what it made."""

from collections.abc import Collection, Mapping, Sequence

import msgspec
from msgspec import Struct

from masthead.model.imports.batches import ImportRow, MadeByRow, RowOutcome
from masthead.model.imports.made_order_ids import is_made
from masthead.model.imports.plan import Problem
from masthead.model.pagination import Page, PageRequest, page_of
from masthead.store.engine.interface import Connection, Row, Transaction

PARTS = 1_000  # places of the further orders of a line in the key of a page
_encode = msgspec.json.Encoder().encode
_reasons = msgspec.json.Decoder(list[Problem])
_cells = msgspec.json.Decoder(list[list[str]])
_made = msgspec.json.Decoder(MadeByRow)

_ROW = """
    SELECT
        line,
        part,
        outcome,
        order_id,
        subscription_id,
        subscriber_id,
        period_id,
        made,
        reasons,
        cells
    FROM import_row
    WHERE account_id = :account_id AND batch_id = :batch
"""


class ImportOfSubscription(Struct, frozen=True):
    """Where a subscription came from: an order of it, the batch and its number."""

    order_id: str
    batch_id: str
    number: int
    line: int

    @property
    def order_number(self) -> str:
        """The order id if the file has it; empty if the import made it."""
        return "" if is_made(self.order_id) else self.order_id


def _row_from_row(row: Row) -> ImportRow:
    return ImportRow(
        line=row["line"],
        part=row["part"],
        outcome=RowOutcome(row["outcome"]),
        order_id=row["order_id"],
        subscription_id=row["subscription_id"],
        subscriber_id=row["subscriber_id"],
        period_id=row["period_id"],
        made=_made.decode(row["made"]) if row["made"] else None,
        reasons=_reasons.decode(row["reasons"]) if row["reasons"] else [],
        cells=_cells.decode(row["cells"]) if row["cells"] else [],
    )


async def insert_rows(
    tx: Transaction, account_id: int, batch_id: str, rows: Sequence[ImportRow]
) -> None:
    """Add rows. Queries: one, for any number of rows."""
    if not rows:
        return
    await tx.insert_rows(
        "import_row",
        [
            {
                "account_id": account_id,
                "batch_id": batch_id,
                "line": row.line,
                "part": row.part,
                "outcome": row.outcome.value,
                "order_id": row.order_id,
                "subscription_id": row.subscription_id,
                "subscriber_id": row.subscriber_id,
                "period_id": row.period_id,
                "made": _encode(row.made).decode() if row.made else None,
                "said": row.said,
                "reasons": _encode(row.reasons).decode() if row.reasons else None,
                "cells": _encode(row.cells).decode() if row.cells else None,
            }
            for row in rows
        ],
    )


async def list_rows(
    db: Connection, account_id: int, batch_id: str, outcome: RowOutcome, request: PageRequest
) -> Page[ImportRow]:
    """The rows of a batch with an outcome, in the order of the file. Queries: one.

    The key of a page is that of `row_key`. Index: import_row_by_outcome.
    """
    after = int(request.after or 0)
    rows = await db.fetch_all(
        _ROW
        + """
          AND outcome = :outcome
          AND line >= :line
          AND (line > :line OR part > :part)
        ORDER BY line, part
        LIMIT :limit
        """,
        {
            "account_id": account_id,
            "batch": batch_id,
            "outcome": outcome.value,
            "line": after // PARTS,
            "part": after % PARTS,
            "limit": request.fetch,
        },
    )
    found = [_row_from_row(row) for row in rows]
    keys = [row_key(row.line, row.part) for row in found]
    return page_of(found[: request.limit], keys, request)


async def find_rows(
    db: Connection, account_id: int, batch_id: str, lines: Collection[int]
) -> list[ImportRow]:
    """The stored rows of some lines. Queries: one."""
    if not lines:
        return []
    rows = await db.fetch_all(
        _ROW + " AND line IN (:lines... AS bigint) ORDER BY line, part",
        {"account_id": account_id, "batch": batch_id, "lines": sorted(lines)},
    )
    return [_row_from_row(row) for row in rows]


def row_key(line: int, part: int) -> int:
    """The place of a row in the list of its batch."""
    return line * PARTS + part


async def list_newest_first(
    db: Connection, account_id: int, batch_id: str, *, limit: int
) -> list[ImportRow]:
    """The last rows of a batch that are imported and not undone, last one first. Queries: one."""
    rows = await db.fetch_all(
        _ROW
        + """
          AND outcome = 'imported'
        ORDER BY line DESC, part DESC
        LIMIT :limit
        """,
        {"account_id": account_id, "batch": batch_id, "limit": limit},
    )
    return [_row_from_row(row) for row in rows]


async def list_of_subscriptions(
    db: Connection, account_id: int, batch_id: str, ids: Collection[str]
) -> list[ImportRow]:
    """The imported rows of a batch with these subscriptions. Queries: one.

    Index: import_row_by_subscription.
    """
    rows = await db.fetch_all(
        """
        SELECT
            line,
            part,
            outcome,
            order_id,
            subscription_id,
            subscriber_id,
            period_id,
            made,
            NULL AS reasons,
            NULL AS cells
        FROM import_row
        WHERE account_id = :account_id
          AND subscription_id IN (:ids...)
          AND (batch_id = :batch) IS TRUE
          AND (outcome = 'imported') IS TRUE
        """,
        {"account_id": account_id, "batch": batch_id, "ids": list(ids)},
    )
    return [_row_from_row(row) for row in rows]


async def count_outcomes(db: Connection, account_id: int, batch_id: str) -> dict[str, int]:
    """The numbers of stored rows by outcome. Queries: one. Index: import_row_by_outcome."""
    rows = await db.fetch_all(
        """
        SELECT outcome, count(*) AS count
        FROM import_row
        WHERE account_id = :account_id AND batch_id = :batch
        GROUP BY outcome
        """,
        {"account_id": account_id, "batch": batch_id},
    )
    return {row["outcome"]: row["count"] for row in rows}


async def update_outcomes(
    tx: Transaction,
    account_id: int,
    batch_id: str,
    outcomes: Mapping[tuple[int, int], tuple[RowOutcome, Sequence[Problem]]],
) -> None:
    """Set the outcome of rows by line and part, and what is to be said about them."""
    await tx.execute_many(
        """
        UPDATE import_row
        SET outcome = :outcome, reasons = coalesce(:reasons, reasons)
        WHERE account_id = :account_id AND batch_id = :batch AND line = :line AND part = :part
        """,
        [
            {
                "account_id": account_id,
                "batch": batch_id,
                "line": line,
                "part": part,
                "outcome": outcome.value,
                "reasons": _encode(reasons).decode() if reasons else None,
            }
            for (line, part), (outcome, reasons) in outcomes.items()
        ],
    )


async def delete_rows(tx: Transaction, account_id: int, batch_id: str, *, limit: int) -> int:
    """Delete some rows of a batch; returns how many. Queries: one. Index: its key."""
    return await tx.execute(
        """
        DELETE FROM import_row
        WHERE account_id = :account_id
          AND batch_id = :batch
          AND line <= (
              SELECT max(line)
              FROM (
                  SELECT line
                  FROM import_row
                  WHERE account_id = :account_id AND batch_id = :batch
                  ORDER BY line, part
                  LIMIT :limit
              ) AS first
          )
        """,
        {"account_id": account_id, "batch": batch_id, "limit": limit},
    )


async def list_imports_of(
    db: Connection, account_id: int, subscription_id: str
) -> list[ImportOfSubscription]:
    """The imports that made orders of a subscription. Index: import_row_by_subscription."""
    rows = await db.fetch_all(
        """
        SELECT r.order_id, r.batch_id, b.number, r.line
        FROM import_row r
        JOIN import_batch b ON b.account_id = r.account_id AND b.id = r.batch_id
        WHERE r.account_id = :account_id
          AND r.subscription_id = :subscription
          AND (r.outcome IN ('imported', 'kept')) IS TRUE
        ORDER BY b.number, r.line, r.part
        """,
        {"account_id": account_id, "subscription": subscription_id},
    )
    return [ImportOfSubscription(**row) for row in rows]


async def find_same_rows(
    db: Connection, account_id: int, batch_ids: Collection[str], lines: Collection[int]
) -> set[tuple[int, int, str, str]]:
    """Line, part, order id and subscription of lines that batches imported. Queries: one."""
    if not batch_ids or not lines:
        return set()
    rows = await db.fetch_all(
        """
        SELECT line, part, order_id, subscription_id
        FROM import_row
        WHERE account_id = :account_id
          AND batch_id IN (:batches...)
          AND line IN (:lines... AS bigint)
          AND (outcome IN ('imported', 'kept', 'skipped')) IS TRUE
        """,
        {"account_id": account_id, "batches": list(batch_ids), "lines": list(lines)},
    )
    return {(row["line"], row["part"], row["order_id"], row["subscription_id"]) for row in rows}
