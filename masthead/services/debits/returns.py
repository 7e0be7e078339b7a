"""What a return does to a direct debit and its mandate, and how it is undone."""

from datetime import date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.debits.rules import STOPPING, Debit
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _, in_language
from masthead.services.billing.balances import give_up
from masthead.services.billing.fees import charge_fee
from masthead.services.debits.mandates import stop_mandate
from masthead.services.debits.mark import record
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, settings as billing_store
from masthead.store.debits import (
    mandates as mandate_store,
    records as store,
    settings as settings_store,
)
from masthead.store.engine.interface import Transaction


async def note_return(
    tx: Transaction,
    account: Account,
    payment_id: str,
    *,
    reason: str,
    day: date,
    bank_fee: int,
    by: Actor,
) -> None:
    """Say that the debit of a payment came back; its mandate ends if the reason says so.

    bank_fee: what the bank has charged for it, which the payer owes if the settings say so.
    Nothing happens if the payment is of no debit. The account is locked.
    """
    for debit in await store.list_of_payments(tx, account.id, [payment_id]):
        await store.update_returned(tx, account.id, debit.id, reason=reason, day=day)
        await record(
            tx,
            account,
            EntryType.INVOICE_DEBIT_RETURN,
            [debit.invoice_id],
            {"reason": reason, "day": str(day)},
            by=by,
        )
        if bank_fee > 0:
            await _charge(tx, account, debit, bank_fee, by=by)
        mandate = await mandate_store.get_mandate(tx, account.id, debit.mandate_id)
        if reason in STOPPING and mandate.revoked_date is None:
            await stop_mandate(tx, account, mandate, day=day, reason=reason, by=by)


async def _charge(
    tx: Transaction, account: Account, debit: Debit, bank_fee: int, *, by: Actor
) -> None:
    """Let the payer owe the fee of the bank, if the settings say so."""
    settings = await settings_store.find_settings(tx, account.id)
    billing = await billing_store.find_settings(tx, account.id)
    if settings is None or not settings.charges_bank_fee or billing is None:
        return
    invoice = await invoices.get_invoice(tx, account.id, debit.invoice_id)
    with in_language(invoice.document.language):
        text = _("Fee of the bank for a returned direct debit")
    fee_id = await charge_fee(
        tx,
        account,
        billing,
        invoice_id=invoice.id,
        payer_id=invoice.payer_id,
        amount=bank_fee,
        text=text,
        detail=invoice.document.number,
        by=by,
    )
    await store.update_fee(tx, account.id, debit.id, fee_id)


async def _waive(tx: Transaction, account: Account, fee_id: str, *, by: Actor) -> None:
    """Take a fee back. Raises: Invalid if it was paid."""
    fee = await invoices.get_invoice(tx, account.id, fee_id)
    if fee.open_amount < fee.document.total:
        raise Invalid(
            _(
                "The fee {number} for this return is paid, or waived. Undo that payment first, or "
                "leave the return as it is."
            ).format(number=fee.document.number),
            code=CHANGED_MEANWHILE,
        )
    with in_language(account.locale):
        text = _("The direct debit did not come back")
    await give_up(tx, account, fee, reason=text, by=by)


async def undo_return(tx: Transaction, account: Account, payment_id: str, *, by: Actor) -> None:
    """Say that the debit of a payment did not come back after all; its mandate holds again.

    The fee of the bank is waived. Raises: Invalid if the payer has paid it.
    """
    for debit in await store.list_of_payments(tx, account.id, [payment_id]):
        if debit.fee_id is not None:
            await _waive(tx, account, debit.fee_id, by=by)
            await store.update_fee(
                tx, account.id, debit.id, None
            )  # the next return may have another
        await store.update_returned(tx, account.id, debit.id, reason="", day=None)
        mandate = await mandate_store.get_mandate(tx, account.id, debit.mandate_id)
        if mandate.revoked_date is not None and mandate.revoke_reason == debit.return_reason:
            await mandate_store.update_revoked(tx, account.id, mandate.id, day=None, reason="")
            before = {"reference": mandate.reference, "reason": mandate.revoke_reason}
            entry = NewEntry(
                EntryType.SUBSCRIBER_REVOKE_MANDATE, mandate.payer_id, before, {"reason": None}
            )
            await trail.record(tx, account.id, by, [entry])
