"""Add mandates of payers, keep the signed files, and revoke mandates."""

from datetime import date
from io import BytesIO

from msgspec import structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.debits.mandates import Mandate, NewMandate, check_b2b, check_mandate
from masthead.model.debits.settings import require_debits
from masthead.model.errors import CHANGED_MEANWHILE, Invalid
from masthead.model.translations import gettext as _
from masthead.services.billing.payers import make_payer
from masthead.services.child_process import run_on_file
from masthead.services.pictures import MAX_UPLOAD, read_picture, work_of
from masthead.services.privacy.guard import require_not_erased
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing.payers import StoredPayer
from masthead.store.debits import mandates as store, settings as settings_store
from masthead.store.debits.mandates import SignedFile
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.subscribers.corrections import get_subscriber

INVALID_FILE = "invalid_mandate_file"  # a code that only pages show
PDF = "application/pdf"
BOX = (2_400, 3_400)  # a page at about 290 dots per inch


@with_locked_account
async def add_mandate(
    tx: Transaction,
    account: Account,
    payer_id: str,
    asked: NewMandate,
    *,
    file: SignedFile | None = None,
    by: Actor,
) -> str:
    """Add a mandate of a subscriber, who becomes a payer; returns its id.

    Raises: NotFound, Erased, Invalid.
    """
    payer = await make_payer(tx, account.id, payer_id)
    id = await write_mandate(tx, account, payer, asked, by=by)
    if file is not None:
        await store.insert_file(tx, account.id, id, file)
    return id


async def write_mandate(
    tx: Transaction,
    account: Account,
    payer: StoredPayer,
    asked: NewMandate,
    *,
    import_number: int | None = None,
    by: Actor,
) -> str:
    """Do the same in a transaction that has locked the account. Raises: Invalid.

    import_number: that of the import that adds it.
    """
    require_debits(await settings_store.find_settings(tx, account.id))
    mandate = check_mandate(asked, today=account.daily_date)
    if mandate.is_b2b:
        subscriber = await get_subscriber(tx, account.id, payer.subscriber_id)
        check_b2b(mandate, company=subscriber.company)
    if not mandate.reference:
        mandate = structs.replace(mandate, reference=await _make_reference(tx, account.id, payer))
    elif await store.find_reference(tx, account.id, mandate.reference):
        raise Invalid(
            _(
                "There is a mandate with the reference {reference} already. Each mandate has its "
                "own; type another one, or none."
            ).format(reference=mandate.reference),
            field="reference",
            value=mandate.reference,
        )
    id = await store.insert_mandate(tx, account.id, payer.subscriber_id, mandate, by=by)
    after: dict[str, object] = {
        "reference": mandate.reference,
        "signed_date": mandate.signed_date,
    }
    if import_number is not None:
        after["import_number"] = import_number
    entry = NewEntry(EntryType.SUBSCRIBER_ADD_MANDATE, payer.subscriber_id, None, after)
    await trail.record(tx, account.id, by, [entry])
    return id


async def _make_reference(db: Connection, account_id: int, payer: StoredPayer) -> str:
    """A reference with the customer number that no mandate has."""
    number = len(await store.list_of_payer(db, account_id, payer.subscriber_id)) + 1
    while await store.find_reference(db, account_id, f"M{payer.number}-{number}"):
        number += 1
    return f"M{payer.number}-{number}"


async def find_usable(
    db: Connection, account_id: int, payer_id: str, day: date, *, invoice_id: str | None = None
) -> Mandate | None:
    """The newest mandate of a payer that can be used on a day; None if there is none.

    invoice_id: of an invoice that is taken back, which needs its mandate no longer.
    """
    listed = await store.list_of_payer(db, account_id, payer_id)
    return next((each for each in listed if each.is_free(day, invoice_id=invoice_id)), None)


@with_locked_account
async def revoke_mandate(
    tx: Transaction, account: Account, id: str, *, day: date, reason: str, by: Actor
) -> None:
    """Say that a payer has revoked a mandate: nothing is collected by it any more.

    Raises: NotFound, Invalid.
    """
    mandate = await store.get_mandate(tx, account.id, id)
    if mandate.revoked_date is not None:
        raise Invalid(
            _("This mandate is revoked already. Nothing was changed."), code=CHANGED_MEANWHILE
        )
    if day > account.daily_date:
        raise Invalid(_("The mandate cannot be revoked after today. Check the day."), field="day")
    await stop_mandate(tx, account, mandate, day=day, reason=reason, by=by)


async def stop_mandate(
    tx: Transaction, account: Account, mandate: Mandate, *, day: date, reason: str, by: Actor
) -> None:
    """Revoke a mandate in a transaction that has locked the account."""
    await store.update_revoked(tx, account.id, mandate.id, day=day, reason=reason)
    after = {"reference": mandate.reference, "day": str(day), "reason": reason}
    entry = NewEntry(EntryType.SUBSCRIBER_REVOKE_MANDATE, mandate.payer_id, None, after)
    await trail.record(tx, account.id, by, [entry])


def make_signed_file(content: bytes) -> SignedFile:
    """The file to store for an uploaded one: a PDF as it is, a picture as JPEG. Raises: Invalid.

    Blocks for up to a second.
    """
    if content[:1024].lstrip().startswith(b"%PDF-"):
        if len(content) > MAX_UPLOAD:
            raise Invalid(
                _("The file has more than {count} MB. Make it smaller first.").format(
                    count=MAX_UPLOAD // 1_000_000
                ),
                code=INVALID_FILE,
                field="file",
            )
        if b"%%EOF" not in content[-2048:]:
            raise Invalid(
                _("The PDF is cut or damaged. Save it again, and choose that file."),
                code=INVALID_FILE,
                field="file",
            )
        return SignedFile(PDF, content)
    picture, _format = read_picture(content, box=BOX, code=INVALID_FILE)
    written = BytesIO()
    picture.save(written, "JPEG", optimize=True, quality=85)
    return SignedFile("image/jpeg", written.getvalue())


async def read_signed_file(content: bytes, *, account_id: int) -> SignedFile:
    """The file to store for an uploaded one. Raises: Invalid `invalid_mandate_file`, Busy."""
    size = await work_of(content)
    return await run_on_file(make_signed_file, content, account_id=account_id, size=size)


@with_locked_account
async def set_signed_file(
    tx: Transaction, account: Account, id: str, file: SignedFile, *, by: Actor
) -> None:
    """Store the signed file of a mandate, in place of the one before.

    Raises: NotFound, Erased.
    """
    mandate = await store.get_mandate(tx, account.id, id)
    await require_not_erased(tx, account.id, [mandate.payer_id])
    await store.insert_file(tx, account.id, id, file)
    after = {"reference": mandate.reference}
    entry = NewEntry(EntryType.SUBSCRIBER_UPDATE_MANDATE, mandate.payer_id, None, after)
    await trail.record(tx, account.id, by, [entry])
