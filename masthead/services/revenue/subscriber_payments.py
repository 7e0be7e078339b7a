"""What subscribers paid so far, for themselves and for others."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from msgspec import Struct

from masthead.model.types.money import money_text
from masthead.store.engine.interface import Connection
from masthead.store.revenue.subscriber_payments import sum_paid


class Paid(Struct, frozen=True):
    """An amount as decimal text, such as `42.00`, and its currency."""

    amount: str
    currency: str


async def list_paid(
    db: Connection, account_id: int, ids: Sequence[str], *, currency: str
) -> dict[str, list[Paid]]:
    """What each subscriber paid, less what went back; other currencies after that of the account.

    currency: of the account; 0 in it if nothing was paid in any. Queries: one, or none.
    """
    if not ids:
        return {}
    sums = await sum_paid(db, account_id, ids)
    return {
        id: _in_order(
            {code: Decimal(money_text(amount, code)) for code, amount in sums.get(id, {}).items()},
            currency,
        )
        for id in ids
    }


def add_up(payments: Iterable[Sequence[Paid]], *, currency: str) -> list[Paid]:
    """The sum of what several subscribers paid, in the order of `list_paid`."""
    sums = defaultdict[str, Decimal](Decimal)
    for paid in payments:
        for each in paid:
            sums[each.currency] += Decimal(each.amount)
    return _in_order(sums, currency)


def _in_order(sums: Mapping[str, Decimal], currency: str) -> list[Paid]:
    """Without currencies in which nothing was paid. sums: by currency."""
    own_first = sorted(sums.items(), key=lambda each: (each[0] != currency, each[0]))
    paid = [Paid(str(amount), code) for code, amount in own_first if amount]
    return paid or [Paid(money_text(0, currency), currency)]
