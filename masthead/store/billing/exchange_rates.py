"""Exchange rates, with the days from which they hold."""

from datetime import date

from masthead.model.billing.exchange_rates import ExchangeRate
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.engine.rows import fetch_all, insert_row


async def list_exchange_rates(db: Connection, account_id: int) -> list[ExchangeRate]:
    """All exchange rates, newest first. Queries: one."""
    return await fetch_all(
        db,
        """
        SELECT first_day, base_currency, quote_currency, rate
        FROM exchange_rate
        WHERE account_id = :account_id
        ORDER BY first_day DESC, base_currency, quote_currency
        """,
        {"account_id": account_id},
        into=ExchangeRate,
    )


async def save_exchange_rate(tx: Transaction, account_id: int, rate: ExchangeRate) -> None:
    """Store a rate, in place of the one of both currencies from the same day. Queries: two."""
    one, other = rate.base_currency, rate.quote_currency
    await delete_exchange_rate(tx, account_id, rate.first_day, one, other)
    await insert_row(
        tx,
        "exchange_rate",
        account_id=account_id,
        first_day=rate.first_day,
        base_currency=one,
        quote_currency=other,
        rate=rate.number,
    )


async def delete_exchange_rate(
    tx: Transaction, account_id: int, first_day: date, one: str, other: str
) -> None:
    """Delete the rate of two currencies from a day on, in either direction. Queries: one."""
    await tx.execute(
        """
        DELETE FROM exchange_rate
        WHERE account_id = :account_id
          AND first_day = :first_day
          AND base_currency IN (:one, :other)
          AND quote_currency IN (:one, :other)
        """,
        {"account_id": account_id, "first_day": first_day, "one": one, "other": other},
    )
