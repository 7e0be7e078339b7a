"""Refunds: each has a row with its date; the period has their sum, and the price."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime

from msgspec import Struct

from masthead.model.events.resources import RefundedOrder
from masthead.model.types.money import money_text
from masthead.store.engine.interface import Connection, Row, Transaction
from masthead.store.engine.rows import fetch_all


async def insert_refunds(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add refunds. rows: by column name. Queries: one, for any number of rows."""
    await tx.insert_rows("refund", [{**row, "account_id": account_id} for row in rows])


async def add_to_periods(tx: Transaction, account_id: int, rows: Sequence[Row]) -> None:
    """Add refunds to the sums of their periods. rows: those of `insert_refunds`."""
    await tx.execute_many(
        """
        UPDATE period
        SET refunded = refunded + :amount
        WHERE account_id = :account_id AND id = :period_id
        """,
        [
            {"account_id": account_id, "amount": row["amount"], "period_id": row["period_id"]}
            for row in rows
        ],
    )


class RecordedRefund(Struct, frozen=True):
    """A refund of the order of a period. amount: in minor units."""

    id: str
    created_at: datetime
    period_id: int
    refund_date: date
    amount: int
    reason: str | None


async def list_refunds(
    db: Connection, account_id: int, period_ids: Collection[int]
) -> list[RecordedRefund]:
    """The refunds of periods, by date. Queries: one. Index: refund_by_period."""
    return await fetch_all(
        db,
        """
        SELECT id, created_at, period_id, refund_date, amount, reason
        FROM refund
        WHERE account_id = :account_id AND period_id IN (:ids... AS bigint)
        ORDER BY refund_date, id
        """,
        {"account_id": account_id, "ids": list(period_ids)},
        into=RecordedRefund,
    )


async def delete_refund(tx: Transaction, account_id: int, id: str) -> tuple[int, int]:
    """Delete a refund; returns the id of its period, and its amount. Queries: two."""
    [row] = await tx.fetch_all(
        """
        DELETE FROM refund
        WHERE account_id = :account_id AND id = :id
        RETURNING period_id, amount
        """,
        {"account_id": account_id, "id": id},
    )
    period_id, amount = row["period_id"], row["amount"]
    await add_to_periods(tx, account_id, [{"period_id": period_id, "amount": -amount}])
    return period_id, amount


async def list_by_ids(db: Connection, account_id: int, ids: Collection[str]) -> list[RefundedOrder]:
    """The refunds with these ids, as events show them, in any order. Queries: one."""
    rows = await db.fetch_all(
        """
        SELECT
            r.id,
            r.subscription_id,
            p.order_id,
            r.refund_date,
            r.amount,
            p.currency,
            r.reason
        FROM refund r
        JOIN period p ON p.account_id = r.account_id AND p.id = r.period_id
        WHERE r.account_id = :account_id AND r.id IN (:ids...)
        """,
        {"account_id": account_id, "ids": list(ids)},
    )
    return [
        RefundedOrder(
            id=row["id"],
            subscription_id=row["subscription_id"],
            order_id=row["order_id"],
            amount=money_text(row["amount"], row["currency"]),
            currency=row["currency"],
            refund_date=row["refund_date"],
            reason=row["reason"],
        )
        for row in rows
    ]


async def update_prices(tx: Transaction, account_id: int, prices: Mapping[int, int]) -> None:
    """Set what periods cost, in minor units, by id. Queries: one."""
    await tx.execute_many(
        """
        UPDATE period
        SET price = :price
        WHERE account_id = :account_id AND id = :period
        """,
        [{"account_id": account_id, "period": id, "price": price} for id, price in prices.items()],
    )
