"""Look at all of a text file once: its encoding, its lines, and the first byte that is wrong."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from masthead.model.errors import Invalid
from masthead.model.imports.encodings import ENCODING_NAMES, ENCODINGS, MAX_LINES, choose_encoding
from masthead.model.imports.file_kinds import check_kind
from masthead.model.translations import gettext as _

MAX_LINE = 32 * 1024 * 1024  # characters
MARKS = "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060"  # invisible characters around cells
_CHUNK = 1024 * 1024  # bytes
_CONTROLS = bytes({*range(32)} - {*b"\t\n\r\x0b\x0c\x1a\x1b"})
# Both begin only where a word or line does: from each other place, all of a long one would be read
_WORDS = re.compile(r"(?:(?<![A-Za-z0-9])[A-Za-z0-9]+)?[^\x00-\x7f][\w\x80-\uffff]*")
_SAMPLES = 3  # words that people compare
_LINES = re.compile(rb"(?<![^\r\n])[^\r\n]*[\x80-\xff][^\r\n]*")
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class BadByte(Struct, frozen=True):
    """A byte that is not of the encoding, as a message shows it. is_end: the file ends inside."""

    line: int
    text: str
    is_end: bool = False


class TextFile(Struct, frozen=True):
    """A text file. lines: how many. has_marks: whether invisible characters or NULs are in it.

    bad: the first wrong byte. A file with one is only read to say where it is. samples: the first
    words with letters outside ASCII, if the encoding is none of Unicode: people see if it is wrong.
    """

    path: Path
    encoding: str
    lines: int
    has_marks: bool = False
    bad: BadByte | None = None
    samples: tuple[str, ...] = ()

    def encoding_name(self) -> str:
        """The encoding, as people call it."""
        return _(ENCODING_NAMES.get(self.encoding) or ENCODINGS[self.encoding])


def inspect_text(path: Path, encoding: str | None = None) -> TextFile:
    """Look at all of a file. encoding: None if it is to be found; a mark in the file counts more.

    Raises: Invalid if it is no text file, or its encoding is not clear; OSError.
    """
    with path.open("rb") as stream:
        marked = _encoding_of(stream.read(_CHUNK))
        stream.seek(0)
        if marked or encoding:
            return _scan(path, stream, marked or encoding or "")
        file = _scan(path, stream, "utf-8")
        if file.bad is None or file.bad.is_end:
            return file
        stream.seek(0)
        if _is_mostly_utf8(stream):
            return file
        stream.seek(0)
        chosen = choose_encoding(_telling_lines(stream))
        stream.seek(0)
        return _scan(path, stream, chosen)


def _telling_lines(stream: BinaryIO) -> list[bytes]:
    """The first lines with letters outside ASCII, each one once."""
    found: dict[bytes, None] = {}
    rest = b""
    for chunk in _chunks(stream):
        content = rest + chunk
        end = max(content.rfind(b"\n"), content.rfind(b"\r")) + 1
        found.update(dict.fromkeys(_LINES.findall(content, 0, end)))
        if len(found) >= MAX_LINES:
            return list(found)[:MAX_LINES]
        rest = content[end:] if len(content) - end <= _CHUNK else b""
    found.update(dict.fromkeys(_LINES.findall(rest)))
    return list(found)


def _encoding_of(head: bytes) -> str | None:
    """The encoding that the first bytes show; None if they do not.

    Raises: Invalid if it is not a text file.
    """
    check_kind(head)
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return encoding
    zeros = [head[place::2].count(0) for place in (0, 1)]
    if len(head) >= 4 and max(zeros) * 4 > len(head) and min(zeros) * 8 < max(zeros):
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    controls = len(head) - len(head.translate(None, _CONTROLS))
    if controls > 8 and controls * 50 > len(head):
        raise Invalid(
            _(
                "The file is not a text file. Export the table as CSV or save it as .xlsx, and use "
                "that file."
            )
        )
    return None


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


def _scan(path: Path, stream: BinaryIO, encoding: str) -> TextFile:
    decoder = codecs.getincrementaldecoder(encoding)()
    lines, has_marks, is_bare, since = 0, False, False, 0
    last = text = ""
    bad = None
    samples: list[str] = []
    is_asked = encoding in ENCODINGS and not encoding.startswith("utf")
    for chunk in _chunks(stream):
        try:
            text = decoder.decode(chunk)
        except UnicodeDecodeError as reason:
            text, bad = _good_part(reason, encoding)
        if is_asked and len(samples) < _SAMPLES:
            samples += (word for word in _WORDS.findall(text) if word not in samples)
        lines += _count_ends(text)
        lines -= is_bare and text.startswith("\n")
        has_marks = has_marks or any(mark in text for mark in ("\0", *MARKS))
        if bad:
            return TextFile(path, encoding, lines + 1, has_marks, BadByte(lines + 1, bad))
        if text:
            is_bare, last = text.endswith("\r"), text[-1]
        end = max(text.rfind("\n"), text.rfind("\r"))
        since = since + len(text) if end < 0 else len(text) - end
        if since > MAX_LINE:
            message = _(
                "Line {line} is longer than {most} characters. Each row of the table must be a "
                "line of its own. Export the table again and use that file."
            )
            raise Invalid(message.format(line=lines + 1, most=MAX_LINE))
    lines += bool(last) and last not in "\r\n"
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        bad_end = BadByte(max(lines, 1), "", is_end=True)
        return TextFile(path, encoding, lines, has_marks, bad_end)
    return TextFile(path, encoding, lines, has_marks, samples=tuple(samples[:_SAMPLES]))


def _count_ends(text: str) -> int:
    """The number of line ends."""
    return text.count("\n") + text.count("\r") - text.count("\r\n")


def _good_part(reason: UnicodeDecodeError, encoding: str) -> tuple[str, str]:
    """The text before the wrong byte, and that byte as a message shows it."""
    good = reason.object[: reason.start]
    name = encoding.removesuffix("-sig") if encoding != "utf-16" else reason.encoding
    return good.decode(name, errors="ignore"), f"0x{reason.object[reason.start]:02X}"


def _is_mostly_utf8(stream: BinaryIO) -> bool:
    """Whether most letters that are not ASCII are UTF-8: some bytes are damaged."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    good = bad = 0
    for chunk in _chunks(stream):
        text = decoder.decode(chunk)
        decoded = len(text.encode(errors="ignore").decode())  # without the bytes that are escaped
        good += decoded - len(text.encode("ascii", "ignore"))
        bad += len(text) - decoded
    return good > bad
