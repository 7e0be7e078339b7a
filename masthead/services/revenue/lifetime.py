"""What a subscriber paid in other currencies than the one of their lifetime value."""

from msgspec import Struct

from masthead.model.types.money import money_text
from masthead.store.engine.interface import Connection
from masthead.store.revenue.lifetime import sum_paid


class Paid(Struct, frozen=True):
    """An amount as decimal text, such as `42.00`, and its currency."""

    amount: str
    currency: str


async def list_other_currencies(
    db: Connection, account_id: int, subscriber_id: str, *, currency: str
) -> list[Paid]:
    """What a subscriber paid, less refunds, in other currencies than `currency`.

    The lifetime value counts only the currency of the account. Queries: one.
    """
    sums = await sum_paid(db, account_id, subscriber_id)
    return [
        Paid(money_text(amount, code), code)
        for code, amount in sums.items()
        if code != currency and amount
    ]
