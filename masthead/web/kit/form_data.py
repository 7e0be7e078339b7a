"""Read a submitted form from the body of a request; python-multipart reads those with files."""

import asyncio
import re
import tempfile
from binascii import a2b_qp
from io import BytesIO
from typing import IO, BinaryIO, cast

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect, Request

from masthead.model.errors import Invalid, PayloadTooLarge
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread
from masthead.serving.requests import BODY_SECONDS, MAX_BODY, read_body

MAX_FIELDS = 1_000
PART = 1024 * 1024  # bytes of a form with a file that are stored at a time
MAX_AT_ONCE = 65_536  # bytes that are decoded on the event loop; more are decoded in a thread
MAX_PARTS = 20
MAX_HEADERS = 8  # of a part
MAX_HEADER = 2_048  # bytes of a header of a part, and of the header with the boundary
MAX_BOUNDARY = 70  # characters, as in RFC 2046
MAX_VALUE = 100_000  # bytes of a field that is no file

FormField = tuple[str, str | UploadFile]
_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


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


class MultipartForm:
    """A form with files, from its bytes as they arrive. Raises: MalformedForm.

    Parts are never parsed as forms themselves, and all limits hold before a part is parsed.
    `fields` has the names of the form, and its texts and files, when `close` was called.
    """

    def __init__(self, content_type: str) -> None:
        boundary = _boundary(content_type)
        self._delimiter, self._delimiters = b"\r\n--" + boundary, 0
        self._end_of_last = b""
        self._beginning = b""  # until it is long enough to be compared
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
        """Read the next bytes of the body, which begins with the boundary.

        The parser would skip bytes before it, but not the same ones if they arrive in two parts.
        """
        first = self._delimiter.removeprefix(b"\r\n")
        if len(self._beginning) < len(first):
            missing = len(first) - len(self._beginning)
            self._beginning, data = self._beginning + data[:missing], data[missing:]
            if not first.startswith(self._beginning):
                raise MalformedForm
            if len(self._beginning) < len(first):
                return
            data = first + data
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


def is_multipart(request: Request) -> bool:
    """Whether the form is encoded so that it can have files."""
    content_type = request.headers.get("Content-Type", "")
    return content_type.partition(";")[0].strip().lower() == "multipart/form-data"


async def read_form_data(request: Request) -> FormData:
    """The submitted form, which has no files.

    Raises: Invalid if it is malformed or slow, or could have files; PayloadTooLarge.
    """
    if is_multipart(request):
        raise Invalid(
            _("This page takes no files. Send the form as application/x-www-form-urlencoded.")
        )
    try:
        body = await read_body(request.receive, seconds=BODY_SECONDS)
        if len(body) <= MAX_AT_ONCE:
            pairs = parse_form(body)
        else:
            pairs = await run_in_file_thread(parse_form, body)
        return FormData([*pairs])
    except TimeoutError:
        raise _too_slow() from None
    except ValueError:
        raise Invalid(
            _("The form cannot be read. Go back, reload the page and send the form again.")
        ) from None


async def read_file_form(request: Request, *, max_file: int) -> FormData:
    """The submitted form, with a file that goes to the disk while it arrives.

    max_file: bytes of the largest file; the other fields have at most 1 MiB together.
    Raises: Invalid if the form is malformed, incomplete or slow; PayloadTooLarge.
    """
    limit = max_file + MAX_BODY
    length = request.headers.get("Content-Length", "")
    if length.isdecimal() and int(length[:20]) > limit:
        raise PayloadTooLarge(limit)
    seconds = BODY_SECONDS * max(1, limit // MAX_BODY // 4)
    form = None
    try:
        form = MultipartForm(request.headers["Content-Type"])
        async with asyncio.timeout(seconds):
            await _receive_into(form, request, limit)
        form.close()
    except BaseException as reason:
        if form is not None:
            form.discard()
        if isinstance(reason, TimeoutError):
            raise _too_slow() from None
        if isinstance(reason, MalformedForm):
            raise Invalid(
                _("The file did not arrive completely. Go back and send it again.")
            ) from None
        raise
    return FormData(form.fields)


def _too_slow() -> Invalid:
    return Invalid(_("The form took too long to arrive. Send it again."))


async def _receive_into(form: MultipartForm, request: Request, limit: int) -> None:
    """Read the body in parts of about a megabyte, each of which is released when it is stored."""
    received, part, is_complete = 0, bytearray(), False
    while not is_complete:
        message = await request.receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        data = message.get("body", b"")
        part += data
        received += len(data)
        is_complete = not message.get("more_body", False)
        if received > limit:
            raise PayloadTooLarge(limit)
        if part and (is_complete or len(part) >= PART):
            await run_in_file_thread(form.feed, bytes(part))
            request.scope["release_body"](len(part))
            part.clear()


def parse_form(body: bytes) -> list[tuple[str, str]]:
    """The names and texts of a form. Raises: ValueError. Cost: 30 ms for 1 MiB."""
    if not body:
        return []
    if body.count(b"&") >= MAX_FIELDS:
        raise ValueError("too many fields")
    if _BAD_ESCAPE.search(body):
        raise ValueError("a percent sign without two hexadecimal digits")
    pairs = []
    for pair in body.split(b"&"):
        name, equals, value = pair.partition(b"=")
        if not equals:
            raise ValueError("a field without a value")
        pairs.append((_decoded(name), _decoded(value)))
    return pairs


def _decoded(text: bytes) -> str:
    """A name or value without its escapes.

    It is decoded as quoted-printable text, whose escapes begin with another sign: for a text of
    escapes that is ten times as fast as `urllib.parse`.
    """
    quoted = text.replace(b"+", b" ").replace(b"=", b"=3D").replace(b"%", b"=")
    return a2b_qp(quoted).decode().replace("\0", "")
