"""The place and the font size of an address on its label. All sizes are in points."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from msgspec import Struct

from masthead.model.dispatch.address_layout import address_lines
from masthead.model.dispatch.copy_keys import WIDTH, printed
from masthead.model.dispatch.labels import MM, PAPER_SIZES, Sheet
from masthead.model.dispatch.profiles import ProfileSettings, sheet_of
from masthead.model.dispatch.runs import Layout
from masthead.model.types.postal_fields import PostalFields
from masthead.model.types.text import normalize

PADDING = 3.5 * MM  # inside the edges of a label, as printers are not exact
LOW_PADDING = 2.0 * MM  # at the top and the bottom of a low label
LOW = 30.0  # millimetres; such a label would have little space otherwise
LEADING = 1.15  # from line to line, as a multiple of the font size
MIN_FONT_SIZE = 6.0
WRAP_FONT_SIZE = 8.0  # lines are rather wrapped than smaller than this
KEY_FONT_SIZE = 6.0
STEP = 0.5
KEY_HEIGHT = KEY_FONT_SIZE * LEADING

Measure = Callable[[str], float]  # the width of a text at a font size of 1


class PlacedAddress(Struct, frozen=True):
    """The lines of an address and their font size."""

    lines: list[str]
    font_size: float


def label_texts(line: PostalFields, layout: Layout) -> list[str]:
    """The address as it is on a label, with each letter as one character."""
    return [normalize("NFC", text) for text in address_lines(line, layout)]


def label_placer(
    settings: ProfileSettings, measure: Measure, *, beside_key: float = 0.0
) -> Callable[[Sequence[str]], PlacedAddress | None]:
    """The function that places an address on the labels of a profile; None if it does not fit.

    beside_key: the width of what is written before the key.
    """
    sheet = sheet_of(settings)
    key_width = measure(printed("W" * WIDTH)) * KEY_FONT_SIZE + beside_key

    def place(lines: Sequence[str]) -> PlacedAddress | None:
        return place_address(
            lines, sheet, cache(measure), font_size=settings.font_size, key_width=key_width
        )

    return place


def page_size(sheet: Sheet) -> tuple[float, float]:
    """The width and height of the paper."""
    width, height = PAPER_SIZES[sheet.paper]
    return width * MM, height * MM


def label_corner(sheet: Sheet, number: int) -> tuple[float, float]:
    """The left and top edge of a label. number: from 0, row by row."""
    row, column = divmod(number, sheet.columns)
    return (sheet.left + column * sheet.across) * MM, (sheet.top + row * sheet.down) * MM


def vertical_padding(sheet: Sheet) -> float:
    """The space to leave at the top and the bottom of a label."""
    return LOW_PADDING if sheet.height < LOW else PADDING


def place_address(
    lines: Sequence[str], sheet: Sheet, measure: Measure, *, font_size: float, key_width: float
) -> PlacedAddress | None:
    """The address in the largest font with which it fits on a label; None if none does.

    Lines that are too long are wrapped between words, if the font would become too small otherwise.
    key_width: of the key in the lower right corner. The last line can be beside it.
    """
    width = sheet.width * MM - 2 * PADDING
    height = sheet.height * MM - 2 * vertical_padding(sheet)

    def fits(pieces: Sequence[str], size: float) -> bool:
        widths = [measure(piece) * size for piece in pieces]
        used = len(pieces) * LEADING * size
        is_beside_key = widths[-1] + key_width + size <= width
        return max(widths) <= width and used <= height - (0 if is_beside_key else KEY_HEIGHT)

    for size in _sizes(font_size, WRAP_FONT_SIZE):
        if fits(lines, size):
            return PlacedAddress(list(lines), size)
    for size in _sizes(font_size, MIN_FONT_SIZE):
        wrapped = [piece for line in lines for piece in wrap(line, width / size, measure)]
        if fits(wrapped, size):
            return PlacedAddress(wrapped, size)
    return None


def _sizes(first: float, last: float) -> Iterator[float]:
    """The font sizes to try, from the largest; the last one at least."""
    size = first
    while size > last:
        yield size
        size -= STEP
    yield last


def wrap(line: str, width: float, measure: Measure) -> list[str]:
    """A line divided between words, so that each piece has at most the width, if possible."""
    if measure(line) <= width:
        return [line]
    pieces: list[str] = []
    for word in line.split(" "):
        longer = f"{pieces[-1]} {word}" if pieces else word
        if pieces and measure(longer) <= width:
            pieces[-1] = longer
        else:
            pieces.append(word)
    return pieces
