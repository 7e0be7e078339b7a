"""The covers of issues: small pictures, made from what a user uploads."""

import hashlib
from io import BytesIO

from msgspec import Struct

from masthead.model.actors import Actor
from masthead.model.audit_entries import EntryType, NewEntry
from masthead.services.child_process import run_on_file
from masthead.services.pictures import read_picture, work_of
from masthead.services.transactions import with_locked_account
from masthead.store.accounts import Account
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Transaction
from masthead.store.issues import covers as store, records as issues
from masthead.store.issues.covers import NewCover

INVALID_COVER = "invalid_cover"  # a code that only pages show
BOX = (480, 480)  # the stored picture fits into it
QUALITY = 85
MEDIA_TYPE = "image/jpeg"


class Picture(Struct, frozen=True):
    """A picture that can be stored: JPEG, without EXIF."""

    content: bytes
    width: int
    height: int


def make_picture(content: bytes) -> Picture:
    """The small picture for an uploaded one. Raises: Invalid. Blocks for up to a second."""
    picture, _format = read_picture(content, box=BOX, code=INVALID_COVER)
    written = BytesIO()
    picture.save(written, "JPEG", quality=QUALITY, optimize=True, progressive=True)
    return Picture(written.getvalue(), picture.width, picture.height)


def make_cover(content: bytes) -> NewCover:
    """The cover to store for a picture. Raises: Invalid. Blocks like `make_picture`."""
    picture = make_picture(content)
    return NewCover(
        media_type=MEDIA_TYPE,
        width=picture.width,
        height=picture.height,
        sha256=hashlib.sha256(picture.content).hexdigest(),
        content=picture.content,
    )


async def read_cover(content: bytes, *, account_id: int) -> NewCover:
    """The cover to store for an uploaded picture. Raises: Invalid `invalid_cover`, Busy."""
    size = await work_of(content)
    return await run_on_file(make_cover, content, account_id=account_id, size=size)


@with_locked_account
async def store_cover(
    tx: Transaction, account: Account, issue_id: str, cover: NewCover, *, by: Actor
) -> str:
    """Store the cover of an issue, in place of an older one; returns its hash.

    The same picture again changes nothing. Raises: NotFound.
    """
    sha256 = cover.sha256
    await issues.get_issue(tx, account.id, issue_id)
    old = (await store.list_covers(tx, account.id, [issue_id])).get(issue_id)
    if old is not None and old.sha256 == sha256:
        return sha256
    await store.replace_cover(tx, account.id, issue_id, cover)
    before = {"sha256": old.sha256} if old else None
    after = {"sha256": sha256, "width": cover.width, "height": cover.height}
    entry = NewEntry(EntryType.ISSUE_SET_COVER, issue_id, before, after)
    await trail.record(tx, account.id, by, [entry])
    return sha256


@with_locked_account
async def delete_cover(tx: Transaction, account: Account, issue_id: str, *, by: Actor) -> bool:
    """Delete the cover of an issue; returns False if it has none. Raises: NotFound."""
    await issues.get_issue(tx, account.id, issue_id)
    old = (await store.list_covers(tx, account.id, [issue_id])).get(issue_id)
    if old is None:
        return False
    await store.delete_cover(tx, account.id, issue_id)
    states = {"sha256": old.sha256}, {"sha256": None}
    entry = NewEntry(EntryType.ISSUE_DELETE_COVER, issue_id, *states)
    await trail.record(tx, account.id, by, [entry])
    return True


async def list_damaged_covers(db: Connection, account_id: int) -> list[str]:
    """The issues whose cover is not what its hash says. Queries: one, and one for each cover."""
    damaged = []
    for issue_id, sha256 in (await store.list_stored(db, account_id)).items():
        found = await store.find_file(db, account_id, issue_id, sha256)
        assert found is not None  # in the same snapshot
        if hashlib.sha256(found.content).hexdigest() != sha256:
            damaged.append(issue_id)
    return damaged
