"""The picture at the top of invoices: upload it, or remove it.

An invoice keeps the picture with which it was issued.
"""

from io import BytesIO

from msgspec import Struct, structs

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.model.billing.terms import require_settings
from masthead.services.child_process import run_on_file
from masthead.services.pictures import read_picture, work_of
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.billing import letterheads, settings as store
from masthead.store.engine.interface import Transaction

INVALID_LETTERHEAD = "invalid_letterhead"  # a code that only pages show
BOX = (1_600, 400)  # the stored picture fits into it; 165 mm then have 250 dots per inch
QUALITY = 90
_KINDS = {"JPEG": "image/jpeg", "PNG": "image/png"}


class NewLetterhead(Struct, frozen=True):
    """A picture to store. Logos stay sharp as PNG; photos are small as JPEG."""

    media_type: str
    width: int
    height: int
    content: bytes


def make_letterhead(content: bytes) -> NewLetterhead:
    """The picture to store for an uploaded one. Raises: Invalid. Blocks for up to a second."""
    picture, found = read_picture(content, box=BOX, code=INVALID_LETTERHEAD)
    format = "JPEG" if found == "JPEG" else "PNG"
    written = BytesIO()
    picture.save(written, format, optimize=True, quality=QUALITY)
    return NewLetterhead(_KINDS[format], picture.width, picture.height, written.getvalue())


async def read_letterhead(content: bytes, *, account_id: int) -> NewLetterhead:
    """The picture to store for an uploaded one. Raises: Invalid `invalid_letterhead`, Busy."""
    size = await work_of(content)
    return await run_on_file(make_letterhead, content, account_id=account_id, size=size)


@with_locked_account
async def set_letterhead(
    tx: Transaction, account: Account, picture: NewLetterhead | None, *, by: Actor
) -> None:
    """Set the picture for invoices from now on; None for no picture. Raises: Invalid."""
    known = require_settings(await store.find_settings(tx, account.id))
    number = 0
    if picture is not None:
        number = await letterheads.insert_letterhead(tx, account.id, **structs.asdict(picture))
    elif not known.letterhead:
        return
    await store.save_settings(tx, account.id, structs.replace(known, letterhead=number))
    entry = NewEntry(
        EntryType.ACCOUNT_UPDATE_BILLING,
        account.id,
        {"letterhead": known.letterhead},
        {"letterhead": number},
    )
    await trail.record(tx, account.id, by, [entry])
