"""Refuse what a user decided on a page that is no longer true."""

from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _
from masthead.model.types.money import money_in_words
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.billing import invoices
from masthead.store.engine.interface import Transaction


@with_locked_account
async def require_same_open(tx: Transaction, account: Account, seen: dict[str, int]) -> None:
    """Lock the account, and compare what is open of invoices with what a user saw, by id.

    Call it in the transaction of the change. Raises: Invalid `changed_meanwhile`.
    """
    found = await invoices.find_open(tx, account.id, list(seen))
    for id, amount in seen.items():
        now = found.get(id)
        if now is None or now.open_amount != amount:
            text = _("An invoice has changed since you opened the page. Reload the page.")
            if now is not None:
                text = _(
                    "Invoice {number} has changed since you opened the page: {amount} "
                    "are open now. Check this, and send the form again."
                ).format(number=now.number, amount=money_in_words(now.open_amount, now.currency))
            raise Invalid(text, code=CHANGED_MEANWHILE)
