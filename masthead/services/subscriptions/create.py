"""Create a manual subscription."""

from masthead.model.actors import Actor
from masthead.model.orders.order import Order, OrderDefaults
from masthead.model.resources import Subscription
from masthead.services.emails import messages
from masthead.services.orders.place import place_all
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.events.write import get_written


@with_locked_account
async def create_subscription(
    tx: Transaction,
    account: Account,
    source_id: str,
    order: Order,
    *,
    defaults: OrderDefaults,
    send_welcome_email: bool,
    product_id: str | None = None,
    by: Actor,
) -> Subscription:
    """Create a manual subscription with its subscriber, period and copies.

    product_id: an active product; None for the product of imported subscriptions.
    Raises: Invalid (`invalid_source`, `unknown_start_issue`, `duplicate_order_id`).
    Spec: Subscriptions, POST /v1/subscriptions/.
    """
    [id] = await place_all(
        tx, account, source_id, [order], defaults=defaults, product_id=product_id, by=by
    )
    created = await get_written(tx, account.id, id)
    if send_welcome_email and order.email is not None:
        await messages.write_welcome(tx, account, created, domain=defaults.placeholder_domain)
    return created
