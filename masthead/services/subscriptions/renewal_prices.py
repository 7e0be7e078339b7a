"""What renewals cost on the day of an account."""

from collections.abc import Sequence

from masthead.model.orders.price_rises import LastOrder
from masthead.model.renewals.prices import PricedRenewal, RenewalPrices, RenewedCopies
from masthead.model.subscriptions.stored import StoredPeriod, StoredSubscription
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.orders.price_rises import list_rises
from masthead.store.orders.product_prices import list_all_prices


async def find_renewal_prices(db: Connection, account: Account) -> RenewalPrices:
    """What renewals cost today. Queries: two."""
    day = account.daily_date
    prices = await list_all_prices(db, account.id, day=day)
    return RenewalPrices(prices, await list_rises(db, account.id), day, account.country)


async def price_copies(
    db: Connection, account: Account, row: StoredSubscription, last: Sequence[StoredPeriod]
) -> PricedRenewal:
    """What a renewal of several copies together costs today. Queries: two.

    row: of one of them. last: the last order of each, in the currency of the first one.
    """
    renewed = RenewedCopies(
        medium=row.medium,
        country=row.country,
        copies=len(last),
        orders=[LastOrder(each.order_date, each.price) for each in last],
    )
    prices = await find_renewal_prices(db, account)
    return prices.find(last[0].currency, row.product_id, renewed)
