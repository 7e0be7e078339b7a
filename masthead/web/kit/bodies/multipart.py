"""Read a form with a large file: the file goes to the disk while the body arrives."""

import re
import tempfile
from collections.abc import Callable
from io import BytesIO
from typing import IO, BinaryIO, cast

from starlette.datastructures import UploadFile

MAX_FIELDS = 100
MAX_HEAD = 8_192  # bytes of the headers of a part
MAX_VALUE = 100_000  # bytes of a field that is no file

_BOUNDARY = re.compile(r';\s*boundary=("?)([^";,\s]{1,200})\1', re.IGNORECASE)
_PARAMETER = re.compile(rb';\s*(name|filename)="([^"]*)"', re.IGNORECASE)
_DISPOSITION = re.compile(rb"^content-disposition:[^\r\n]*", re.IGNORECASE | re.MULTILINE)

FormField = tuple[str, str | UploadFile]


class MalformedForm(Exception):
    """The body is no complete form."""


def _text(content: bytes) -> str:
    try:
        return content.decode().replace("\0", "")
    except UnicodeDecodeError:
        raise MalformedForm from None


def _unescaped(name: str) -> str:
    """A name as browsers escape it."""
    return name.replace("%22", '"').replace("%0D", "").replace("%0A", "")


class MultipartReader:
    """Reads the bytes of a form as they arrive. Raises: MalformedForm.

    `fields` has the names of the form, and its texts and files, when `close` was called.
    """

    def __init__(self, content_type: str) -> None:
        found = _BOUNDARY.search(content_type)
        if found is None:
            raise MalformedForm
        self._delimiter = b"\r\n--" + found[2].encode("latin-1")
        self._buffer = bytearray(b"\r\n")  # so that the first boundary is like the others
        self._step: Callable[[], bool] = self._skip_preamble
        self._name, self._size = "", 0
        self._filename: str | None = None
        self._content: IO[bytes] | None = None
        self.fields: list[FormField] = []

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the body."""
        self._buffer += data
        while self._step():
            pass

    def close(self) -> None:
        """Check that the form is complete."""
        if self._step != self._skip_rest:
            raise MalformedForm

    def discard(self) -> None:
        """Delete the files."""
        files = [value.file for _name, value in self.fields if isinstance(value, UploadFile)]
        for file in [*files, *([self._content] if self._content else [])]:
            file.close()

    def _skip_preamble(self) -> bool:
        place = self._buffer.find(self._delimiter)
        if place < 0:
            del self._buffer[: -len(self._delimiter)]
            return False
        del self._buffer[: place + len(self._delimiter)]
        self._step = self._read_boundary_end
        return True

    def _read_boundary_end(self) -> bool:
        if len(self._buffer) < 2:
            return False
        end = bytes(self._buffer[:2])
        if end not in (b"\r\n", b"--"):
            raise MalformedForm
        self._step = self._read_head if end == b"\r\n" else self._skip_rest
        del self._buffer[:2]
        return True

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end > MAX_HEAD or (end < 0 and len(self._buffer) > MAX_HEAD):
            raise MalformedForm
        if end < 0:
            return False
        found = _DISPOSITION.search(bytes(self._buffer[:end]))
        parameters = {
            name.lower(): _unescaped(_text(value))
            for name, value in _PARAMETER.findall(found[0] if found else b"")
        }
        if b"name" not in parameters or len(self.fields) >= MAX_FIELDS:
            raise MalformedForm
        self._name, self._filename = parameters[b"name"], parameters.get(b"filename")
        if self._filename is None:
            self._content = BytesIO()
        else:
            self._content = tempfile.NamedTemporaryFile()  # noqa: SIM115 - kept in `fields`
        self._size = 0
        del self._buffer[: end + 4]
        self._step = self._read_content
        return True

    def _read_content(self) -> bool:
        assert self._content is not None
        place = self._buffer.find(self._delimiter)
        ready = place if place >= 0 else len(self._buffer) - len(self._delimiter)
        if ready > 0:
            self._content.write(self._buffer[:ready])
            self._size += ready
            del self._buffer[:ready]
        if self._filename is None and self._size > MAX_VALUE:
            raise MalformedForm
        if place < 0:
            return False
        del self._buffer[: len(self._delimiter)]
        self._add_field(self._content)
        self._step = self._read_boundary_end
        return True

    def _add_field(self, content: IO[bytes]) -> None:
        content.seek(0)
        self._content = None
        if self._filename is None:
            with content:
                value: str | UploadFile = _text(content.read())
        else:
            file = cast(BinaryIO, content)
            value = UploadFile(file, size=self._size, filename=self._filename)
        self.fields.append((self._name, value))

    def _skip_rest(self) -> bool:
        self._buffer.clear()
        return False
