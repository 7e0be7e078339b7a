"""Look again, when a reminder is about to go out, whether it still says what is true.

A reminder that does not go out is taken back: its invoices are as if it had never been written, its
fee is waived, and what it held is released.
"""

from collections.abc import Collection, Mapping, Sequence

from masthead.model.actors import Actor
from masthead.model.holds import HoldEnd
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.reminders.due import OverdueInvoice
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.model.translations import gettext as _, in_language
from masthead.services.billing.balances import give_up
from masthead.services.holds.invoices import end_holds
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.billing import invoices
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.holds import records as holds
from masthead.store.reminders import (
    outcomes,
    overdue as facts,
    records as store,
    stages as stage_store,
)
from masthead.store.reminders.records import StoredItem, StoredReminder

_BY = Actor(kind="command", id="reminders")


async def recheck_reminder(tx: Transaction, email: QueuedEmail) -> bool:
    """Whether the email of a reminder may go out; else it is taken back. The account is locked."""
    assert email.reminder_id is not None
    account = await accounts.get_account(tx, email.account_id)
    reminder = await store.get_reminder(tx, account.id, email.reminder_id)
    reasons = await find_skipped(tx, account, [reminder])
    if not reasons:
        return True
    why_not = f"Not sent: {reasons[reminder.id].words}."
    await outbox.update_cancelled(tx, account.id, email.id, reason=why_not)
    await take_back(tx, account, [reminder], reasons[reminder.id], by=_BY)
    return False


async def find_skipped(
    db: Connection, account: Account, reminders: Sequence[StoredReminder]
) -> dict[str, ReminderSkip]:
    """Which of some reminders must not go out any more, and why. Queries: three."""
    items = await store.list_items(db, account.id, [each.id for each in reminders])
    now = await facts.find_reminded(db, account.id, {each.invoice_id for each in items})
    sums = await facts.sum_fees(db, account.id, {each.payer_id for each in reminders})
    found = {}
    for each in reminders:
        own = [item for item in items if item.reminder_id == each.id]
        fees, credit = sums.get((each.payer_id, each.currency), (0, 0))
        owed = sum(item.open_amount for item in own) + fees - credit
        why = _why_not(own, now, account)
        if why is None and owed != each.total:
            why = ReminderSkip.CHANGED
        if why is not None:
            found[each.id] = why
    return found


def _why_not(
    items: Collection[StoredItem], now: Mapping[str, OverdueInvoice], account: Account
) -> ReminderSkip | None:
    for item in items:
        invoice = now.get(item.invoice_id)
        if invoice is None or invoice.open_amount != item.open_amount:
            return ReminderSkip.CHANGED
        is_promised = (
            invoice.promised_date is not None and invoice.promised_date >= account.daily_date
        )
        is_stopped = invoice.is_stopped or invoice.is_disputed or invoice.payer_reason is not None
        if item.stage and (is_promised or is_stopped or invoice.is_erased):
            return ReminderSkip.UNWANTED
    return None


async def take_back(
    tx: Transaction,
    account: Account,
    reminders: Sequence[StoredReminder],
    reason: ReminderSkip,
    *,
    by: Actor,
) -> None:
    """Take reminders back that did not go out. The account is locked."""
    if not reminders:
        return
    ids = [each.id for each in reminders]
    await outcomes.update_status(tx, account.id, ids, LetterStatus.SKIPPED, reason)
    for each in reminders:
        if each.fee_id is None:
            continue
        fee = await invoices.get_invoice(tx, account.id, each.fee_id)
        if fee.open_amount > 0:
            with in_language(account.locale):
                text = _("The reminder did not go out")
            await give_up(tx, account, fee, reason=text, by=by)
    settings = await stage_store.get_settings(tx, account.id)
    items = await store.list_items(tx, account.id, ids)
    still = await facts.find_reminded(tx, account.id, {each.invoice_id for each in items})
    for invoice in still.values():
        if not settings.hold_stage or invoice.stage < settings.hold_stage:
            known = await holds.list_of_invoice(tx, account.id, invoice.id)
            ended = [each for each in known if each.is_open]
            await end_holds(tx, account.id, ended, HoldEnd.STOPPED, by=by)


async def take_back_waiting(
    tx: Transaction, account_id: int, payer_ids: Collection[str], *, by: Actor
) -> None:
    """Take back what waits to go out to payers who are erased. The account is locked."""
    waiting = await store.list_waiting_of(tx, account_id, payer_ids)
    if waiting:
        why_not = f"Not sent: {ReminderSkip.UNWANTED.words}."
        await outcomes.cancel_emails(tx, account_id, [each.id for each in waiting], reason=why_not)
        account = await accounts.get_account(tx, account_id)
        await take_back(tx, account, waiting, ReminderSkip.UNWANTED, by=by)
