"""The covers of issues: small pictures, made from what a user uploads.

A picture is decoded and written again, so that nothing else that a file contains is kept or served.
"""

import hashlib
import struct
from io import BytesIO

from msgspec import Struct
from PIL import Image, UnidentifiedImageError

from masthead.model.actors import Actor
from masthead.model.audit_events import AuditEvent, EventType
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread, run_on_file
from masthead.store import accounts
from masthead.store.audit import trail
from masthead.store.engine.interface import Connection, Database, Transaction
from masthead.store.issues import covers as store
from masthead.store.issues import records as issues
from masthead.store.issues.covers import NewCover

INVALID_COVER = "invalid_cover"  # a code that only pages show
FORMATS = ("PNG", "JPEG", "WEBP")
MAX_UPLOAD = 10_000_000  # bytes
MAX_PIXELS = 30_000_000  # of the uploaded picture; decoding them takes 0.1 GB and half a second
MAX_READS = 10_000  # of the parts of a file; a picture of 10 MB needs some hundreds
MAX_COMPRESSED = 20  # parts with texts or colours; each one may take a MB when it is unpacked
PIXELS_PER_BYTE = 8  # a million pixels take as long as 128 KB of other files
MIN_SIDE = 50  # pixels
BOX = (480, 480)  # the stored picture fits into it
QUALITY = 85
MEDIA_TYPE = "image/jpeg"

_ORIENTATION = 0x0112  # the EXIF tag: how the camera was held
_TURNS = {
    2: [Image.Transpose.FLIP_LEFT_RIGHT],
    3: [Image.Transpose.ROTATE_180],
    4: [Image.Transpose.FLIP_TOP_BOTTOM],
    5: [Image.Transpose.TRANSPOSE],
    6: [Image.Transpose.ROTATE_270],
    7: [Image.Transpose.TRANSVERSE],
    8: [Image.Transpose.ROTATE_90],
}
_COMPRESSED = (b"iCCP", b"iTXt", b"zTXt")
_BOMBS = (Image.DecompressionBombError, Image.DecompressionBombWarning)
# What Pillow raises for files that are broken or hostile
_UNREADABLE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    EOFError,
    IndexError,
    KeyError,
    OverflowError,
    MemoryError,
    struct.error,
)


class Picture(Struct, frozen=True):
    """A picture that can be stored: JPEG, without EXIF."""

    content: bytes
    width: int
    height: int


class _PictureFile(BytesIO):
    """A file in memory that has few parts. Pillow reads each one, and needs long for many."""

    reads = 0

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes. Raises: OSError after too many calls."""
        self.reads += 1
        if self.reads > MAX_READS:
            raise OSError("The picture has too many parts.")
        return super().read(size)


def _open(content: bytes) -> Image.Image:
    """The picture, whose head is read. Raises: what Pillow raises."""
    if sum(map(content.count, _COMPRESSED)) > MAX_COMPRESSED:
        raise OSError("The picture has too many compressed parts.")
    return Image.open(_PictureFile(content), formats=FORMATS)


def pixels_of(content: bytes) -> int:
    """The number of pixels of a picture, from its header; 0 if it cannot be read."""
    try:
        with _open(content) as found:
            return found.width * found.height
    except (*_BOMBS, *_UNREADABLE):
        return 0


def make_picture(content: bytes) -> Picture:
    """The small picture for an uploaded one. Raises: Invalid.

    The size in its head is checked before anything is decoded. Blocks for up to a second, with
    the most pixels.
    """
    if len(content) > MAX_UPLOAD:
        raise _refused(
            _("The picture has more than {count} MB. Make it smaller first.").format(
                count=MAX_UPLOAD // 1_000_000
            )
        )
    try:
        with _open(content) as found:
            _require_size(found.width, found.height)
            turns = _TURNS.get(found.getexif().get(_ORIENTATION, 1), [])
            found.thumbnail(BOX)  # decodes a JPEG at a lower resolution
            picture = _on_white(found)
    except _BOMBS:
        raise _too_large() from None
    except UnidentifiedImageError:
        raise _refused(_("This is no picture in PNG, JPEG or WebP. Choose another file.")) from None
    except _UNREADABLE:
        raise _refused(_("The picture cannot be read. Save it again as JPEG.")) from None
    for turn in turns:
        picture = picture.transpose(turn)
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


def _require_size(width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise _too_large()
    if min(width, height) < MIN_SIDE:
        raise _refused(
            _("The picture has {width} × {height} pixels, too few for a cover.").format(
                width=width, height=height
            )
        )


def _on_white(image: Image.Image) -> Image.Image:
    """A copy in RGB without metadata; what is transparent becomes white."""
    if image.has_transparency_data:
        image = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image)
    clean = Image.new("RGB", image.size)
    clean.paste(image.convert("RGB"))
    return clean


def _refused(message: str) -> Invalid:
    return Invalid(message, code=INVALID_COVER, field="file")


def _too_large() -> Invalid:
    return _refused(
        _("The picture has more than {count} million pixels. Make it smaller first.").format(
            count=MAX_PIXELS // 1_000_000
        )
    )


async def set_cover(
    db: Database, account_id: int, issue_id: str, content: bytes, *, by: Actor
) -> str:
    """Store the cover of an issue, in place of an older one; returns its hash.

    The same picture again changes nothing. Raises: NotFound, Invalid `invalid_cover`, Busy.
    """
    await issues.get_issue(db, account_id, issue_id)
    cover = await read_cover(content, account_id=account_id)
    return await store_cover(db, account_id, issue_id, cover, by=by)


async def read_cover(content: bytes, *, account_id: int) -> NewCover:
    """The cover to store for an uploaded picture. Raises: Invalid `invalid_cover`, Busy."""
    pixels = await run_in_file_thread(pixels_of, content)
    size = max(len(content), pixels // PIXELS_PER_BYTE)
    return await run_on_file(make_cover, content, account_id=account_id, size=size)


async def store_cover(
    db: Database, account_id: int, issue_id: str, cover: NewCover, *, by: Actor
) -> str:
    """Do the same with a cover that was read. Raises: NotFound."""
    sha256 = cover.sha256

    async def work(tx: Transaction) -> str:
        await accounts.lock_account(tx, account_id)
        await issues.get_issue(tx, account_id, issue_id)
        old = (await store.list_covers(tx, account_id, [issue_id])).get(issue_id)
        if old is not None and old.sha256 == sha256:
            return sha256
        await store.replace_cover(tx, account_id, issue_id, cover)
        before = {"sha256": old.sha256} if old else None
        after = {"sha256": sha256, "width": cover.width, "height": cover.height}
        event = AuditEvent(EventType.ISSUE_SET_COVER, issue_id, before, after)
        await trail.record(tx, account_id, by, [event])
        return sha256

    return await db.write(work, account_id=account_id)


async def delete_cover(db: Database, account_id: int, issue_id: str, *, by: Actor) -> bool:
    """Delete the cover of an issue; returns False if it has none. Raises: NotFound."""

    async def work(tx: Transaction) -> bool:
        await accounts.lock_account(tx, account_id)
        await issues.get_issue(tx, account_id, issue_id)
        old = (await store.list_covers(tx, account_id, [issue_id])).get(issue_id)
        if old is None:
            return False
        await store.delete_cover(tx, account_id, issue_id)
        states = {"sha256": old.sha256}, {"sha256": None}
        event = AuditEvent(EventType.ISSUE_DELETE_COVER, issue_id, *states)
        await trail.record(tx, account_id, by, [event])
        return True

    return await db.write(work, account_id=account_id)


async def list_damaged_covers(db: Connection, account_id: int) -> list[str]:
    """The issues whose cover is not what its hash says. Queries: one, and one for each cover."""
    damaged = []
    for issue_id, sha256 in (await store.list_stored(db, account_id)).items():
        found = await store.find_file(db, account_id, issue_id, sha256)
        assert found is not None  # in the same snapshot
        if hashlib.sha256(found.content).hexdigest() != sha256:
            damaged.append(issue_id)
    return damaged
