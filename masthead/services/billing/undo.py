"""Users undo a payment that was recorded by mistake, also one that went back or came back."""

from masthead.model.actors import Actor
from masthead.model.debits.rules import DebitStatus
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.billing.payments import undo
from masthead.services.billing.returned import give_back
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.billing import bank_statements, payments
from masthead.store.debits import records as debits
from masthead.store.engine.interface import Connection, Transaction


@with_locked_account
async def undo_payment(tx: Transaction, account: Account, id: str, *, by: Actor) -> None:
    """Take back a payment that was recorded by mistake: what it settled is open again.

    A payment back to the payer can be undone, too. That of a return counts as no return any more,
    as if its bank line was undone. Raises: NotFound, Invalid.
    """
    if any(each.line_id for each in await debits.list_of_payments(tx, account.id, [id])):
        raise Invalid(
            _(
                "This payment was booked together with other direct debits, as one sum of the "
                "bank. Undo the line of the bank statement."
            ),
            code="booked_together",
        )
    payment = await payments.get_payment(tx, account.id, id)
    if payment.amount < 0 and await _is_return(tx, account.id, id):
        await give_back(tx, account, payment, by=by)
    else:
        await undo(tx, account, payment, by=by)


async def _is_return(db: Connection, account_id: int, id: str) -> bool:
    """Whether a payment that went back is that of a return; that of a sandbox has no bank line."""
    line = await bank_statements.find_of_payment(db, account_id, id)
    if line is not None:
        return line.is_return
    settled = await payments.list_settled_by(db, account_id, [id])
    ids = [each.payment_id for each in settled if each.payment_id]
    returned = await debits.list_of_payments(db, account_id, ids) if ids else []
    return any(each.status is DebitStatus.RETURNED for each in returned)
