"""Orders of a subscriber in other currencies than that of their lifetime value."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from decimal import Decimal

from msgspec import Struct

from masthead.model.resources import Subscriber
from masthead.model.types.money import money_text
from masthead.store.engine.interface import Connection
from masthead.store.revenue.lifetime import sum_paid


class Paid(Struct, frozen=True):
    """An amount as decimal text, such as `42.00`, and its currency."""

    amount: str
    currency: str


async def list_other_currencies(
    db: Connection, account_id: int, subscribers: Sequence[Subscriber]
) -> dict[str, list[Paid]]:
    """Prices less refunds of subscribers, in other currencies than that of the lifetime value.

    Returns: by the id of the subscriber; who ordered in no other currency is left out. Queries:
    one, or none.
    """
    if not subscribers:
        return {}
    sums = await sum_paid(db, account_id, [each.id for each in subscribers])
    others = {
        each.id: [
            Paid(money_text(amount, code), code)
            for code, amount in sums.get(each.id, {}).items()
            if code != each.ltv_currency and amount
        ]
        for each in subscribers
    }
    return {id: paid for id, paid in others.items() if paid}


def add_up(payments: Iterable[Sequence[Paid]]) -> list[Paid]:
    """The sum of the orders of several subscribers in each currency, by its code."""
    sums = defaultdict[str, Decimal](Decimal)
    for paid in payments:
        for each in paid:
            sums[each.currency] += Decimal(each.amount)
    return [Paid(str(amount), currency) for currency, amount in sorted(sums.items()) if amount]
