"""Pictures that users upload. They are decoded and written again, so that nothing else is kept."""

import struct
from io import BytesIO
from typing import TYPE_CHECKING

from masthead.lazy_modules import LazyModule
from masthead.model.errors import Invalid
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread

if TYPE_CHECKING:
    import PIL
    from PIL import Image
else:
    PIL, Image = LazyModule("PIL"), LazyModule("PIL.Image")


FORMATS = ("PNG", "JPEG", "WEBP")
MAX_UPLOAD = 10_000_000  # bytes
MAX_PIXELS = 30_000_000  # of the uploaded picture; decoding them takes 0.1 GB and half a second
MAX_READS = 10_000  # of the parts of a file; a picture of 10 MB needs some hundreds
MAX_COMPRESSED = 20  # parts with texts or colours; each one may take a MB when it is unpacked
MIN_SIDE = 50  # pixels
PIXELS_PER_BYTE = 8  # a million pixels take as long as 128 KB of other files

_ORIENTATION = 0x0112  # the EXIF tag: how the camera was held
_TURNS = {  # names of `Image.Transpose`
    2: ["FLIP_LEFT_RIGHT"],
    3: ["ROTATE_180"],
    4: ["FLIP_TOP_BOTTOM"],
    5: ["TRANSPOSE"],
    6: ["ROTATE_270"],
    7: ["TRANSVERSE"],
    8: ["ROTATE_90"],
}
_COMPRESSED = (b"iCCP", b"iTXt", b"zTXt")
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


class _PictureFile(BytesIO):
    """A file in memory that has few parts. Pillow reads each one, and needs long for many."""

    reads = 0

    def read(self, size: int | None = -1) -> bytes:
        """The next bytes. Raises: OSError after too many calls."""
        self.reads += 1
        if self.reads > MAX_READS:
            raise OSError("The picture has too many parts.")
        return super().read(size)


def _open(content: bytes) -> "Image.Image":
    """The picture, whose head is read. Raises: what Pillow raises."""
    if sum(map(content.count, _COMPRESSED)) > MAX_COMPRESSED:
        raise OSError("The picture has too many compressed parts.")
    return Image.open(_PictureFile(content), formats=FORMATS)


def _pixels_of(content: bytes) -> int:
    """The number of pixels of a picture, from its header; 0 if it cannot be read."""
    try:
        with _open(content) as found:
            return found.width * found.height
    except (Image.DecompressionBombError, Image.DecompressionBombWarning, *_UNREADABLE):
        return 0


async def work_of(content: bytes) -> int:
    """How much work a picture is, as bytes of other files."""
    pixels = await run_in_file_thread(_pixels_of, content)
    return max(len(content), pixels // PIXELS_PER_BYTE)


def read_picture(content: bytes, *, box: tuple[int, int], code: str) -> "tuple[Image.Image, str]":
    """An uploaded picture in RGB that fits into a box, and its format. Raises: Invalid.

    code: of the errors. The size in its head is checked before anything is decoded. Blocks for up
    to a second, with the most pixels.
    """
    if len(content) > MAX_UPLOAD:
        raise _refused(
            code,
            _("The picture has more than {count} MB. Make it smaller first.").format(
                count=MAX_UPLOAD // 1_000_000
            ),
        )
    try:
        with _open(content) as found:
            _require_size(code, found.width, found.height)
            format = found.format or ""
            turns = _TURNS.get(found.getexif().get(_ORIENTATION, 1), [])
            found.thumbnail(box)  # decodes a JPEG at a lower resolution
            picture = _on_white(found)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_large(code) from None
    except PIL.UnidentifiedImageError:
        message = _("This is no picture in PNG, JPEG or WebP. Choose another file.")
        raise _refused(code, message) from None
    except _UNREADABLE:
        raise _refused(code, _("The picture cannot be read. Save it again as JPEG.")) from None
    for turn in turns:
        picture = picture.transpose(Image.Transpose[turn])
    return picture, format


def _require_size(code: str, width: int, height: int) -> None:
    if width * height > MAX_PIXELS:
        raise _too_large(code)
    if min(width, height) < MIN_SIDE:
        raise _refused(
            code,
            _(
                "The picture has {width} × {height} pixels, too few. It needs {least} on each side."
            ).format(width=width, height=height, least=MIN_SIDE),
        )


def _on_white(image: "Image.Image") -> "Image.Image":
    """A copy in RGB without metadata; what is transparent becomes white."""
    if image.has_transparency_data:
        image = image.convert("RGBA")
        paper = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(paper, image)
    clean = Image.new("RGB", image.size)
    clean.paste(image.convert("RGB"))
    return clean


def _refused(code: str, message: str) -> Invalid:
    return Invalid(message, code=code, field="file")


def _too_large(code: str) -> Invalid:
    return _refused(
        code,
        _("The picture has more than {count} million pixels. Make it smaller first.").format(
            count=MAX_PIXELS // 1_000_000
        ),
    )
