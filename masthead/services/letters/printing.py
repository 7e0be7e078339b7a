"""Print the letters of a batch: their PDF, and that they are printed."""

from collections.abc import Collection

from babel.dates import format_date

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.clock import account_now
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel
from masthead.model.letters.printing import LetterParts, LetterWords
from masthead.model.translations import gettext as _, in_language
from masthead.services.download_records import require_pdf
from masthead.services.emails.messages import no_mail_server
from masthead.services.letters.recheck import recheck_printed
from masthead.services.pdf_process import write_in_process, write_letters
from masthead.services.transactions import with_locked_account
from masthead.store import accounts
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.settings import find_settings
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.letters import emails, facts as store, records as letters
from masthead.store.letters.facts import LetterToPrint
from masthead.store.letters.records import LetterBatch
from masthead.store.self_service.settings import find_code_url, get_settings

PART = 500  # letters in one PDF, which takes about two seconds


def count_parts(batch: LetterBatch) -> int:
    """The number of PDFs for the letters of a batch."""
    return -(-batch.letters // PART)


async def prepare_pdf(
    db: Database, account_id: int, batch_id: str, part: int, *, by: Actor
) -> bytes:
    """The PDF of a part of a batch, from 1 on. Subscribers who renewed meanwhile are left out.

    Raises: NotFound; Invalid if no letter is left to print; Busy.
    """

    async def work(tx: Transaction) -> tuple[LetterParts, list[LetterToPrint]]:
        account = await accounts.lock_account(tx, account_id)
        batch = await letters.get_batch(tx, account_id, batch_id)
        _require_printed(batch)
        await recheck_printed(tx, account_id, batch_id)
        offset = (part - 1) * PART
        found = await store.list_to_print(tx, account_id, batch_id, offset=offset, limit=PART)
        after = {"part": part, "letters": len(found)}
        entry = NewEntry(EntryType.LETTER_BATCH_DOWNLOAD, batch_id, None, after)
        await trail.record(tx, account_id, by, [entry])
        contact = (await get_settings(tx, account_id)).contact
        sender = await find_sender(tx, account)
        code_url = await find_code_url(tx, account_id)
        locales = {each.locale for each in found}
        return _parts_of(account, batch, locales, code_url, contact, sender), found

    head, found = await db.write(work, account_id=account_id)
    if not found:
        raise Invalid(
            _("No letters are left to print. All subscribers have renewed or want no letters.")
        )
    return await write_in_process(write_letters, head, found, account_id=account_id)


async def find_sender(db: Connection, account: Account) -> str:
    """The sender of printed letters, in one line: the postal address of the account.

    Without one, that of its invoices; empty if both are missing. Queries: one at most.
    """
    lines = [line.strip() for line in account.postal_address.splitlines()]
    if not any(lines) and (settings := await find_settings(db, account.id)):
        lines = [settings.name, settings.street, f"{settings.postcode} {settings.city}"]
    return " · ".join(filter(None, map(str.strip, lines)))


def _parts_of(
    account: Account,
    batch: LetterBatch,
    locales: Collection[str],
    code_url: str,
    contact: str,
    sender: str,
) -> LetterParts:
    day = account.date_of(batch.created_at)
    words = {}
    for locale in locales:
        with in_language(locale or account.locale):
            words[locale] = LetterWords(
                date=format_date(day, "long", locale=locale or account.locale),
                code_text=_("Your subscription online:"),
            )
    with in_language(account.locale):
        stage = batch.stage.words
    return LetterParts(
        name=account.name,
        sender=sender,
        words=words,
        title=f"{account.name}: {stage}",
        created_at=batch.created_at,
        code_url=code_url,
        contact=next(iter(contact.splitlines()), ""),
    )


def _require_printed(batch: LetterBatch) -> None:
    if batch.channel is not LetterChannel.PRINT:
        raise Invalid(_("These letters go out by email. They are not printed."))


@with_locked_account
async def mark_printed(
    tx: Transaction, account: Account, batch_id: str, *, needs_pdf: bool = False, by: Actor
) -> int:
    """Record that the letters of a batch are printed; returns how many.

    needs_pdf: whether their PDF must have been downloaded. Raises: NotFound; Invalid.
    """
    _require_printed(await letters.get_batch(tx, account.id, batch_id))
    if needs_pdf:
        await require_pdf(tx, account.id, EntryType.LETTER_BATCH_DOWNLOAD, batch_id)
    count = await store.update_printed(tx, account.id, batch_id, printed_at=account_now())
    return await _record(tx, account, EntryType.LETTER_BATCH_PRINT, batch_id, count, by=by)


@with_locked_account
async def undo_printed(tx: Transaction, account: Account, batch_id: str, *, by: Actor) -> int:
    """Undo `mark_printed`; returns how many letters are to print again. Raises: NotFound."""
    _require_printed(await letters.get_batch(tx, account.id, batch_id))
    count = await store.update_printed(tx, account.id, batch_id, printed_at=None)
    return await _record(tx, account, EntryType.LETTER_BATCH_UNDO_PRINT, batch_id, count, by=by)


@with_locked_account
async def retry_batch(
    tx: Transaction, account: Account, batch_id: str, *, has_mail: bool = True, by: Actor
) -> int:
    """Send the emails of a batch again that failed for good; returns how many.

    Raises: NotFound; Invalid if the batch was stopped or there is no mail server.
    """
    batch = await letters.get_batch(tx, account.id, batch_id)
    if batch.stopped_at is not None:
        raise Invalid(_("These letters were stopped. Stop what is left, and send the stage again."))
    if not has_mail:
        raise no_mail_server()
    count = await emails.update_retried(tx, account.id, batch_id)
    return await _record(tx, account, EntryType.LETTER_BATCH_RETRY, batch_id, count, by=by)


async def _record(
    tx: Transaction, account: Account, type: EntryType, batch_id: str, count: int, *, by: Actor
) -> int:
    if count:
        entry = NewEntry(type, batch_id, None, {"letters": count})
        await trail.record(tx, account.id, by, [entry])
    return count
