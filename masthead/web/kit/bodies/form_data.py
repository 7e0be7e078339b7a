"""Read a submitted form from the body of a request."""

import asyncio
import re
from binascii import a2b_qp

from starlette.datastructures import FormData
from starlette.requests import ClientDisconnect, Request

from masthead.model.errors import Invalid, PayloadTooLarge
from masthead.model.translations import gettext as _
from masthead.services.child_process import run_in_file_thread
from masthead.serving.requests import BODY_SECONDS, MAX_BODY, read_body
from masthead.web.kit.bodies.multipart import MalformedForm, MultipartReader

MAX_FIELDS = 1_000
PART = 1024 * 1024  # bytes of a form with a file that are stored at a time
MAX_AT_ONCE = 65_536  # bytes that are decoded on the event loop; more are decoded in a thread

_BAD_ESCAPE = re.compile(rb"%(?![0-9A-Fa-f]{2})")


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
    reader = None
    try:
        reader = MultipartReader(request.headers["Content-Type"])
        async with asyncio.timeout(seconds):
            await _receive_into(reader, request, limit)
        reader.close()
    except BaseException as reason:
        if reader is not None:
            reader.discard()
        if isinstance(reason, TimeoutError):
            raise _too_slow() from None
        if isinstance(reason, MalformedForm):
            raise Invalid(
                _("The file did not arrive completely. Go back and send it again.")
            ) from None
        raise
    return FormData(reader.fields)


def _too_slow() -> Invalid:
    return Invalid(_("The form took too long to arrive. Send it again."))


async def _receive_into(reader: MultipartReader, request: Request, limit: int) -> None:
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
            await run_in_file_thread(reader.feed, bytes(part))
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
