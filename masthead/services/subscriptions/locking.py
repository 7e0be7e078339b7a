"""Lock a subscription for a change."""

from masthead.model.errors import CHANGED_MEANWHILE, Invalid, NotFound
from masthead.model.subscriptions.stored import StoredSubscription
from masthead.model.translations import gettext as _
from masthead.services.privacy.guard import require_not_erased
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.engine.interface import Transaction
from masthead.store.subscriptions import records as subscriptions


async def lock_subscription(
    tx: Transaction, account_id: int, id: str
) -> tuple[Account, StoredSubscription]:
    """Lock the account; returns it and the subscription's row. Raises: NotFound, Erased."""
    account = await accounts.lock_account(tx, account_id)
    found = await subscriptions.find_rows(tx, account_id, [id])
    if id not in found:
        raise NotFound("subscription", id)
    await require_not_erased(tx, account_id, [found[id].subscriber_id])
    return account, found[id]


def changed_since_opened() -> Invalid:
    """The error for a form whose subscription has changed meanwhile."""
    return Invalid(
        _(
            "This subscription has changed since you opened it. Check its current values, and send "
            "your changes again if they are still correct."
        ),
        code=CHANGED_MEANWHILE,
    )
