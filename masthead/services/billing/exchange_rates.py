"""Change the exchange rates of an account. Invoices that were issued keep theirs."""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.exchange_rates import ExchangeRate
from masthead.model.types.fields import date_from_1900
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import exchange_rates as store
from masthead.store.engine.interface import Transaction


@with_locked_account
async def save_exchange_rate(
    tx: Transaction, account: Account, rate: ExchangeRate, *, by: Actor
) -> None:
    """Add a rate, or replace the one of both currencies from the same day. Raises: Invalid."""
    date_from_1900("first_day", rate.first_day)
    old = await _find(tx, account, rate.first_day, rate.pair)
    await store.save_exchange_rate(tx, account.id, rate)
    await _record(tx, account, rate.first_day, old, rate, by=by)


@with_locked_account
async def delete_exchange_rate(
    tx: Transaction, account: Account, first_day: date, one: str, other: str, *, by: Actor
) -> None:
    """Delete the rate of two currencies from a day on: the one before it goes on."""
    old = await _find(tx, account, first_day, frozenset((one, other)))
    if old is not None:
        await store.delete_exchange_rate(tx, account.id, first_day, one, other)
        await _record(tx, account, first_day, old, None, by=by)


async def _find(
    tx: Transaction, account: Account, first_day: date, pair: frozenset[str]
) -> ExchangeRate | None:
    """The rate of two currencies that begins on a day."""
    known = await store.list_exchange_rates(tx, account.id)
    return next((it for it in known if it.first_day == first_day and it.pair == pair), None)


async def _record(
    tx: Transaction,
    account: Account,
    first_day: date,
    old: ExchangeRate | None,
    new: ExchangeRate | None,
    *,
    by: Actor,
) -> None:
    """Write into the audit trail what a rate was, and what it is now."""
    entry = NewEntry(
        EntryType.ACCOUNT_UPDATE_VAT,
        account.id,
        {"exchange_rate": old and old.text},
        {"first_day": first_day, "exchange_rate": new and new.text},
    )
    await trail.record(tx, account.id, by, [entry])
