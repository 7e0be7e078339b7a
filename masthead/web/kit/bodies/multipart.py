"""Read a form with a file: the file goes to the disk while the body arrives."""

import tempfile
from io import BytesIO
from typing import IO, BinaryIO, cast

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import UploadFile

MAX_PARTS = 20
MAX_HEADERS = 8  # of a part
MAX_HEADER = 2_048  # bytes of a header of a part, and of the header with the boundary
MAX_BOUNDARY = 70  # characters, as in RFC 2046
MAX_VALUE = 100_000  # bytes of a field that is no file

FormField = tuple[str, str | UploadFile]


class MalformedForm(Exception):
    """The body is no complete form."""


def _text(content: bytes) -> str:
    try:
        return content.decode().replace("\0", "")
    except UnicodeDecodeError:
        raise MalformedForm from None


def _unescaped(name: bytes) -> str:
    """A name as browsers escape it."""
    return _text(name).replace("%22", '"').replace("%0D", "").replace("%0A", "")


def _boundary(content_type: str) -> bytes:
    if len(content_type) > MAX_HEADER:
        raise MalformedForm
    boundary = parse_options_header(content_type)[1].get(b"boundary", b"")
    if not 0 < len(boundary) <= MAX_BOUNDARY:
        raise MalformedForm
    return boundary


class MultipartReader:
    """Reads the bytes of a form as they arrive. Raises: MalformedForm.

    Parts are never parsed as forms themselves, and all limits hold before a part is parsed.
    `fields` has the names of the form, and its texts and files, when `close` was called.
    """

    def __init__(self, content_type: str) -> None:
        boundary = _boundary(content_type)
        self._delimiter, self._delimiters = b"\r\n--" + boundary, 0
        self._end_of_last = b""
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin_part,
                "on_header_begin": self._begin_header,
                "on_header_field": self._add_to_header_name,
                "on_header_value": self._add_to_header_value,
                "on_header_end": self._end_header,
                "on_headers_finished": self._end_headers,
                "on_part_data": self._add_content,
                "on_part_end": self._end_part,
                "on_end": self._end,
            },
            max_header_count=MAX_HEADERS,
            max_header_size=MAX_HEADER,
        )
        self._header_name, self._header_value = bytearray(), bytearray()
        self._disposition = b""
        self._name, self._size = "", 0
        self._filename: str | None = None
        self._content: IO[bytes] | None = None
        self._is_complete = False
        self.fields: list[FormField] = []

    def feed(self, data: bytes) -> None:
        """Read the next bytes of the body."""
        seen = self._end_of_last + data  # a delimiter may have arrived in two parts
        self._delimiters += seen.count(self._delimiter)
        self._end_of_last = seen[1 - len(self._delimiter) :]
        if self._delimiters > MAX_PARTS:  # the first part has none before it
            raise MalformedForm
        try:
            self._parser.write(data)
        except FormParserError:
            raise MalformedForm from None

    def close(self) -> None:
        """Check that the form is complete."""
        if not self._is_complete:
            raise MalformedForm

    def discard(self) -> None:
        """Delete the files."""
        files = [value.file for _name, value in self.fields if isinstance(value, UploadFile)]
        for file in [*files, *([self._content] if self._content else [])]:
            file.close()

    def _begin_part(self) -> None:
        if len(self.fields) >= MAX_PARTS:
            raise MalformedForm
        self._disposition = b""

    def _begin_header(self) -> None:
        self._header_name.clear()
        self._header_value.clear()

    def _add_to_header_name(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def _add_to_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def _end_header(self) -> None:
        if self._header_name.lower() == b"content-disposition":
            self._disposition = bytes(self._header_value)

    def _end_headers(self) -> None:
        _kind, parameters = parse_options_header(self._disposition)
        if b"name" not in parameters:
            raise MalformedForm
        self._name, self._size = _unescaped(parameters[b"name"]), 0
        self._filename = None
        self._content = BytesIO()
        if b"filename" in parameters:
            self._filename = _unescaped(parameters[b"filename"])
            self._content = tempfile.NamedTemporaryFile()  # noqa: SIM115 - kept in `fields`

    def _add_content(self, data: bytes, start: int, end: int) -> None:
        assert self._content is not None
        self._size += end - start
        if self._filename is None and self._size > MAX_VALUE:
            raise MalformedForm
        self._content.write(memoryview(data)[start:end])

    def _end_part(self) -> None:
        assert self._content is not None
        content, self._content = self._content, None
        content.seek(0)
        if self._filename is None:
            with content:
                value: str | UploadFile = _text(content.read())
        else:
            file = cast(BinaryIO, content)
            value = UploadFile(file, size=self._size, filename=self._filename)
        self.fields.append((self._name, value))

    def _end(self) -> None:
        self._is_complete = True
