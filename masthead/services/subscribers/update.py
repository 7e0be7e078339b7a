"""Update a subscriber for a program, by the rules of corrections."""

from masthead.model.actors import Actor
from masthead.model.orders.field_rules import API_NAMES
from masthead.model.resources import Subscriber
from masthead.model.subscribers.corrections import SubscriberUpdate
from masthead.services.subscribers.correct import correct
from masthead.services.transactions import in_transaction
from masthead.store.engine.interface import Transaction
from masthead.store.subscribers.records import get_subscriber


@in_transaction
async def update_subscriber(
    tx: Transaction,
    account_id: int,
    id: str,
    body: SubscriberUpdate,
    *,
    placeholder_domain: str,
    by: Actor,
) -> Subscriber:
    """Change the names, the company or the email address of a subscriber.

    Raises: NotFound, Invalid (`merged_meanwhile`, `email_taken`), as `correct_subscriber`.
    """
    await correct(
        tx,
        account_id,
        id,
        body,
        seen={},
        with_subscriptions=body.with_subscriptions is True,
        names=API_NAMES,
        placeholder_domain=placeholder_domain,
        by=by,
    )
    return await get_subscriber(tx, account_id, id)
