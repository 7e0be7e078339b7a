"""Pictures to upload as covers of issues."""

import struct
import zlib
from io import BytesIO

from PIL import Image

from masthead.services.issues import covers
from tests.conftest import BY, Cast


def picture(
    width: int = 300,
    height: int = 400,
    *,
    format: str = "PNG",
    mode: str = "RGB",
    color: str | int | tuple[int, ...] = "red",
    **options: object,
) -> bytes:
    """A picture in one colour, with a blue mark at the top left."""
    image = Image.new(mode, (width, height), color)
    if mode == "RGB":
        image.paste("blue", (0, 0, width // 4, height // 4))
    written = BytesIO()
    image.save(written, format, **options)
    return written.getvalue()


async def set_cover(cast: Cast, issue_id: str, content: bytes | None = None) -> str:
    """Upload the cover of an issue; returns its hash."""
    cover = await covers.read_cover(content or picture(), account_id=cast.account_id)
    return await covers.store_cover(cast.db, cast.account_id, issue_id, cover, by=BY)


def _chunk(kind: bytes, content: bytes) -> bytes:
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)


def png_bomb(width: int, height: int) -> bytes:
    """A small PNG file that says it has many pixels, and that compresses megabytes of zeros."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    lines = zlib.compress(b"\0" * 5_000_000, 9)
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", lines) + _chunk(b"IEND", b"")
    )
