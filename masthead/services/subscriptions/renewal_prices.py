"""What renewals cost on the day of an account."""

from masthead.model.renewals.prices import RenewalPrices
from masthead.store.accounts import Account
from masthead.store.engine.interface import Connection
from masthead.store.orders.product_prices import list_all_prices


async def find_renewal_prices(db: Connection, account: Account) -> RenewalPrices:
    """What renewals cost today. Queries: one."""
    prices = await list_all_prices(db, account.id, day=account.daily_date)
    return RenewalPrices(prices, account.country)
