"""Numbers without gaps: each is taken in the transaction that uses it."""

from masthead.store.engine.interface import Transaction


async def take_number(tx: Transaction, account_id: int, series: str) -> int:
    """The next number of a series, from 1 on.

    The row stays locked until the transaction ends. If that fails, its number is free again, so
    there is no gap. Queries: one.
    """
    row = await tx.fetch_one(
        """
        INSERT INTO number_series (account_id, series, last_number)
        VALUES (:account_id, :series, 1)
        ON CONFLICT (account_id, series) DO UPDATE
        SET last_number = number_series.last_number + 1
        RETURNING last_number
        """,
        {"account_id": account_id, "series": series},
    )
    assert row is not None
    return int(row["last_number"])


async def skip_to(tx: Transaction, account_id: int, series: str, number: int) -> None:
    """Let the next number of a series be higher than one that was given. Queries: one."""
    await tx.execute(
        """
        INSERT INTO number_series (account_id, series, last_number)
        VALUES (:account_id, :series, :number)
        ON CONFLICT (account_id, series) DO UPDATE
        SET last_number = excluded.last_number
        WHERE number_series.last_number < excluded.last_number
        """,
        {"account_id": account_id, "series": series, "number": number},
    )
