"""Agree with a payer: another day, no reminders of an invoice, or none at all."""

from datetime import date, timedelta

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.errors import Invalid
from masthead.model.translations import format_day, gettext as _
from masthead.model.types.fields import required_text
from masthead.services.billing.credit import get_creditable
from masthead.services.billing.payers import make_payer
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Transaction
from masthead.store.reminders import terms as store
from masthead.store.reminders.terms import ReminderTerm

MOST_PROMISED = timedelta(days=5 * 365)


@with_locked_account
async def agree(
    tx: Transaction, account: Account, invoice_id: str, term: ReminderTerm, *, by: Actor
) -> None:
    """Store what was agreed about an invoice. Raises: NotFound, Erased, Invalid.

    To stop reminders, or to agree on another day, a reason is needed; to allow them again, none.
    """
    is_something = term.is_stopped or term.is_disputed or term.promised_date is not None
    reason = _required(term.reason) if is_something else ""
    invoice = await get_creditable(tx, account.id, invoice_id)
    await require_not_erased(tx, account.id, [invoice.payer_id])
    known = await store.get_term(tx, account.id, invoice_id)
    new = structs.replace(term, reason=reason)
    if new == known:
        return
    if term.promised_date and term.promised_date != known.promised_date:
        _check_promised(term.promised_date, account.daily_date)
    await store.save_term(tx, account.id, invoice_id, new)
    before, after = structs.asdict(known), structs.asdict(new)
    changed = [name for name in after if after[name] != before[name]]
    entry = NewEntry(
        EntryType.INVOICE_AGREE_TERM,
        invoice_id,
        {name: before[name] for name in changed},
        {name: after[name] for name in changed},
    )
    await trail.record(tx, account.id, by, [entry])


def _check_promised(day: date, today: date) -> None:
    """Raises: Invalid if nobody can agree on a day."""
    message = ""
    if day < today:
        message = _("{day} is over. Type today or a later day.")
    elif day > today + MOST_PROMISED:
        message = _(
            "{day} is more than {count} years ahead. Check the year, or stop the reminders of the "
            "invoice."
        )
    if message:
        text = message.format(day=format_day(day), count=MOST_PROMISED.days // 365)
        raise Invalid(text, field="promised_date", value=day)


@with_locked_account
async def stop_payer(
    tx: Transaction, account: Account, payer_id: str, *, reason: str | None, by: Actor
) -> None:
    """Stop all reminders to a payer, or allow them again. Raises: NotFound, Erased, Invalid.

    reason: why; None to allow them.
    """
    reason = None if reason is None else _required(reason)
    payer = await make_payer(tx, account.id, payer_id)
    known = await store.find_stop(tx, account.id, payer.subscriber_id)
    if (known.reason if known else None) == reason:
        return
    await store.update_stop(tx, account.id, payer.subscriber_id, reason)
    entry = NewEntry(
        EntryType.SUBSCRIBER_STOP_REMINDERS,
        payer.subscriber_id,
        {"reminders_stopped": known.reason if known else None},
        {"reminders_stopped": reason},
    )
    await trail.record(tx, account.id, by, [entry])


def _required(reason: str) -> str:
    if not reason.strip():
        raise Invalid(_("Say why. It is kept with the invoice."), field="reason")
    return required_text("reason", reason.strip())
