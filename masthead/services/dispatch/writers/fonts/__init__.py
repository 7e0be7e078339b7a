"""Fonts for labels: which characters they have. Their licence and origin are in this folder."""

import unicodedata
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from masthead.lazy_modules import LazyModule

if TYPE_CHECKING:
    import uharfbuzz
else:
    uharfbuzz = LazyModule("uharfbuzz")


FOLDER = Path(__file__).parent
MAIN_FONT = FOLDER / "NotoSans-Regular.ttf"  # Latin, Greek and Cyrillic letters
LAST_FONT = FOLDER / "DroidSansFallback.ttf"  # Chinese, Japanese and Korean

# Blocks in which a character always has the same shape, so that its width is known
_SIMPLE_BLOCKS = (
    range(0x20, 0x7F),
    range(0xA0, 0x250),  # Latin
    range(0x370, 0x483),  # Greek and Cyrillic
    range(0x48A, 0x530),
    range(0x1E00, 0x2000),
    range(0x2010, 0x2028),  # dashes and quotation marks
    range(0x20A0, 0x20C0),  # currencies
    range(0x2100, 0x2150),  # such as № and ™
)


@cache
def list_fonts() -> list[Path]:
    """The files of all fonts, in the order in which they are looked through."""
    others = set(FOLDER.glob("*.ttf")) - {MAIN_FONT, LAST_FONT}
    return [MAIN_FONT, *sorted(others), LAST_FONT]


@cache
def _characters_of(path: Path) -> frozenset[int]:
    face = uharfbuzz.Face(uharfbuzz.Blob.from_file_path(str(path)))
    return frozenset(face.unicodes)


@cache
def covered_characters() -> frozenset[str]:
    """The characters that at least one font has. The first call takes about 10 ms."""
    return frozenset(chr(code) for path in list_fonts() for code in _characters_of(path))


@cache
def simple_characters() -> frozenset[str]:
    """The characters of the main font that need no shaping."""
    codes = _characters_of(MAIN_FONT)
    return frozenset(chr(code) for block in _SIMPLE_BLOCKS for code in block if code in codes)


def uncovered_characters(text: str) -> list[str]:
    """The characters of a text that no font has, sorted. Takes about a microsecond."""
    if text.isascii():
        return []
    missing = set(text) - covered_characters()
    return sorted(each for each in missing if not is_invisible(each))


def is_simple(text: str) -> bool:
    """Whether all characters are simple, also in capitals, so that none is uncovered. Quick."""
    return text.isascii() or simple_characters().issuperset(text + text.upper())


def font_of(character: str) -> Path | None:
    """The first font that has a character; None if no font has it."""
    code = ord(character)
    return next((path for path in list_fonts() if code in _characters_of(path)), None)


def is_invisible(character: str) -> bool:
    """Whether a character is a control or format character, which needs no glyph."""
    return unicodedata.category(character) in {"Cc", "Cf"}
