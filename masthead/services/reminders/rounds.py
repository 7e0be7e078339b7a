"""What becomes of a round: stop it, mark it as printed or not, and send again what has failed."""

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.services.download_records import require_pdf
from masthead.services.reminders.recheck import take_back
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.background.outbox import STOPPED
from masthead.store.engine.interface import Transaction
from masthead.store.reminders import outcomes, records as store

_WAITING = (LetterStatus.QUEUED, LetterStatus.FAILED, LetterStatus.TO_PRINT)


class StoppedRound(Struct, frozen=True):
    """What a stop did. sent: letters that went out before, or are just being sent."""

    stopped: int
    sent: int


@with_locked_account
async def stop_round(
    tx: Transaction, account: Account, round_id: str, *, by: Actor
) -> StoppedRound:
    """Stop the reminders of a round that have not gone out; they are due again. Raises: NotFound.

    Their fees are waived, and what they held is released.
    """
    made = await store.get_round(tx, account.id, round_id)
    waiting = await store.list_with_status(tx, account.id, round_id, _WAITING)
    emails = [each.id for each in waiting if each.status is not LetterStatus.TO_PRINT]
    cancelled = set(await outcomes.cancel_emails(tx, account.id, emails, reason=STOPPED))
    stopped = [
        each for each in waiting if each.status is LetterStatus.TO_PRINT or each.id in cancelled
    ]
    await take_back(tx, account, stopped, ReminderSkip.STOPPED, by=by)
    if stopped:
        await outcomes.count_stopped(tx, account.id, round_id, len(stopped))
        after = {"reminder": made.name, "letters": len(stopped)}
        entry = NewEntry(EntryType.REMINDER_ROUND_STOP, round_id, None, after)
        await trail.record(tx, account.id, by, [entry])
    return StoppedRound(len(stopped), made.letters - made.stopped - len(stopped))


@with_locked_account
async def mark_printed(
    tx: Transaction, account: Account, round_id: str, *, needs_pdf: bool = False, by: Actor
) -> int:
    """Record that the letters of a round are printed; returns how many.

    needs_pdf: whether their PDF must have been downloaded. Raises: NotFound; Invalid.
    """
    if needs_pdf:
        await require_pdf(tx, account.id, EntryType.REMINDER_ROUND_DOWNLOAD, round_id)
    event = EntryType.REMINDER_ROUND_PRINT
    return await _move(
        tx, account, round_id, LetterStatus.TO_PRINT, LetterStatus.PRINTED, event, by=by
    )


@with_locked_account
async def undo_printed(tx: Transaction, account: Account, round_id: str, *, by: Actor) -> int:
    """Undo `mark_printed`; returns how many letters are to print again. Raises: NotFound."""
    event = EntryType.REMINDER_ROUND_UNDO_PRINT
    return await _move(
        tx, account, round_id, LetterStatus.PRINTED, LetterStatus.TO_PRINT, event, by=by
    )


async def _move(
    tx: Transaction,
    account: Account,
    round_id: str,
    old: LetterStatus,
    new: LetterStatus,
    event: EntryType,
    *,
    by: Actor,
) -> int:
    made = await store.get_round(tx, account.id, round_id)
    found = await store.list_with_status(tx, account.id, round_id, [old])
    if found:
        await outcomes.update_status(tx, account.id, [each.id for each in found], new)
        after = {"reminder": made.name, "letters": len(found)}
        await trail.record(tx, account.id, by, [NewEntry(event, round_id, None, after)])
    return len(found)
