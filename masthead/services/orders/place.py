"""Place orders, which create and renew subscriptions.

The API and the pages place one order at a time, and an import 1,000, by the same rules.
"""

from collections.abc import Sequence

from masthead.model.actors import Actor
from masthead.model.errors import Invalid
from masthead.model.orders.decide import decide
from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.orders.order_plan import OrderPlan
from masthead.services.orders.look_up import look_up
from masthead.services.orders.write import write
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction


async def place_orders(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    defaults: OrderDefaults,
    product_id: str | None = None,
    by: Actor,
) -> Sequence[str | Invalid]:
    """Create or renew a subscription for each order; returns its id, or the error for each order.

    account: locked in this transaction. source_id: of all these orders, and of new subscriptions.
    product_id: the product of new subscriptions; None for the product of imported subscriptions.
    Renewals keep the product of their subscription. A refused order changes nothing.
    Raises: Invalid for all orders: `invalid_source`, or a product that is not offered.
    """
    plan, _ = await place_with_plan(
        tx, account, source_id, orders, defaults=defaults, product_id=product_id, by=by
    )
    return plan.outcomes


async def place_with_plan(
    tx: Transaction,
    account: Account,
    source_id: str,
    orders: Sequence[Order],
    *,
    defaults: OrderDefaults,
    product_id: str | None,
    by: Actor,
    import_number: int | None = None,
) -> tuple[OrderPlan, int]:
    """Do what `place_orders` does; returns what was written, and the id before the first period.

    import_number: of the import that the orders come from, for the audit trail.
    """
    context = await look_up(tx, account, source_id, product_id, orders, defaults, import_number)
    plan = decide(context, orders)
    return plan, await write(tx, account, plan, by=by)
