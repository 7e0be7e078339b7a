"""What a return does to a direct debit and its mandate, and how it is undone."""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.debits.debits import STOPPING
from masthead.services.debits.mandates import stop_mandate
from masthead.services.debits.mark import record
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.debits import debits as store
from masthead.store.debits import mandates as mandate_store
from masthead.store.engine.interface import Transaction


async def note_return(
    tx: Transaction, account: Account, payment_id: str, *, reason: str, day: date, by: Actor
) -> None:
    """Say that the debit of a payment came back; its mandate ends if the reason says so.

    Nothing happens if the payment is of no debit. The account is locked.
    """
    for debit in await store.list_of_payments(tx, account.id, [payment_id]):
        await store.set_returned(tx, account.id, debit.id, reason=reason, day=day)
        await record(
            tx,
            account,
            EventType.INVOICE_DEBIT_RETURN,
            [debit.invoice_id],
            {"reason": reason, "day": str(day)},
            by=by,
        )
        mandate = await mandate_store.get_mandate(tx, account.id, debit.mandate_id)
        if reason in STOPPING and mandate.revoked_date is None:
            await stop_mandate(tx, account, mandate, day=day, reason=reason, by=by)


async def undo_return(tx: Transaction, account: Account, payment_id: str, *, by: Actor) -> None:
    """Say that the debit of a payment did not come back after all; its mandate holds again."""
    for debit in await store.list_of_payments(tx, account.id, [payment_id]):
        await store.set_returned(tx, account.id, debit.id, reason="", day=None)
        mandate = await mandate_store.get_mandate(tx, account.id, debit.mandate_id)
        if mandate.revoked_date is not None and mandate.revoke_reason == debit.return_reason:
            await mandate_store.set_revoked(tx, account.id, mandate.id, day=None, reason="")
            before = {"reference": mandate.reference, "reason": mandate.revoke_reason}
            event = AuditEvent(
                EventType.SUBSCRIBER_REVOKE_MANDATE, mandate.payer_id, before, {"reason": None}
            )
            await trail.record(tx, account.id, by, [event])
