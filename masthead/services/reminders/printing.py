"""The PDF of reminders: one for an email, or those of a round to print."""

from collections.abc import Sequence

from babel.dates import format_date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.terms import require_settings
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterStatus
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.model.reminders.printing import PayerLetter
from masthead.model.reminders.texts import reference_of
from masthead.model.translations import gettext as _
from masthead.services.billing.files.deliver import find_picture, with_pictures
from masthead.services.pdf_process import write_in_process, write_payer_letters
from masthead.services.reminders.recheck import find_skipped, take_back
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import invoices, settings as settings_store
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.reminders import records as store
from masthead.store.reminders.records import StoredReminder


async def write_reminder(db: Database, account_id: int, id: str) -> bytes:
    """The PDF of a reminder, with its invoices if they are enclosed.

    Raises: NotFound, Invalid, Busy.
    """
    async with db.read() as connection:
        account = await accounts.get_account(connection, account_id)
        reminder = await store.get_reminder(connection, account_id, id)
        printed = await print_reminders(connection, account, [reminder])
    return await write_in_process(write_payer_letters, printed, account_id=account_id)


async def prepare_pdf(db: Database, account_id: int, round_id: str, *, by: Actor) -> bytes:
    """The letters of a round that are to be printed, as one PDF.

    Those of which anything was paid meanwhile are taken back first. Raises: NotFound; Invalid if no
    letter is left to print; Busy.
    """

    async def work(tx: Transaction) -> list[PayerLetter]:
        account = await accounts.lock_account(tx, account_id)
        await store.get_round(tx, account_id, round_id)
        found = await store.list_with_status(
            tx, account_id, round_id, [LetterStatus.TO_PRINT, LetterStatus.PRINTED]
        )
        waiting = [each for each in found if each.status is LetterStatus.TO_PRINT]
        skipped = await find_skipped(tx, account, waiting)
        for reason in ReminderSkip:
            back = [each for each in waiting if skipped.get(each.id) is reason]
            await take_back(tx, account, back, reason, by=by)
        left = [each for each in found if each.id not in skipped]
        if left:
            entry = NewEntry(
                EntryType.REMINDER_ROUND_DOWNLOAD, round_id, None, {"letters": len(left)}
            )
            await trail.record(tx, account_id, by, [entry])
        return await print_reminders(tx, account, left)

    printed = await db.write(work, account_id=account_id)
    if not printed:
        raise Invalid(_("No letters are left to print. All were paid, stopped, or go by email."))
    return await write_in_process(write_payer_letters, printed, account_id=account_id)


async def print_reminders(
    db: Connection, account: Account, reminders: Sequence[StoredReminder]
) -> list[PayerLetter]:
    """Reminders with all that their pages need. Queries: five."""
    if not reminders:
        return []
    settings = require_settings(await settings_store.find_settings(db, account.id))
    items = await store.list_items(db, account.id, [each.id for each in reminders])
    enclosing = {each.id for each in reminders if each.encloses_invoices}
    enclosed = {each.invoice_id for each in items if each.reminder_id in enclosing}
    documents = [each.document for each in await invoices.list_invoices(db, account.id, enclosed)]
    printed = {
        each.document.number: each for each in await with_pictures(db, account.id, documents)
    }
    picture = await find_picture(db, account.id, settings)
    made = []
    for each in reminders:
        locale = each.locale or account.locale
        numbers = [item.number for item in items if item.reminder_id == each.id]
        made.append(
            PayerLetter(
                subject=each.subject,
                body=each.body,
                address=each.address,
                day=format_date(each.reminded_date, "long", locale=locale),
                reference=reference_of(numbers),
                code_amount=each.total if each.currency == "EUR" else 0,
                seller=settings.seller,
                picture=picture,
                enclosed=[printed[number] for number in numbers if each.id in enclosing],
                language=locale,
                created_at=each.created_at,
            )
        )
    return made
