"""The charges of a sandbox's own shop: it renews recurring subscriptions, as a shop would."""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.orders.order import Order, OrderDefaults
from masthead.services.orders.place import place_all
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.sandboxes import charges

AT_ONCE = 500  # in one transaction


async def charge_due(
    tx: Transaction,
    account: Account,
    source_id: str,
    day: date,
    *,
    placeholder_domain: str,
    by: Actor,
) -> bool:
    """Renew what the shop charges on a day, at most 500; returns whether there may be more.

    Each costs what it cost before, and its order id names the period before. account: on that day.
    """
    due = await charges.list_due(tx, account.id, source_id, day, AT_ONCE)
    orders = [
        Order(
            order_id=f"charge-{each.period_id}",
            order_date=day,
            renews=each.order_id,
            price=each.price,
            currency=each.currency,
        )
        for each in due
    ]
    if not orders:
        return False
    defaults = OrderDefaults(account.currency, placeholder_domain)
    await place_all(tx, account, source_id, orders, defaults=defaults, by=by)
    return len(due) == AT_ONCE
