"""Read a submitted form from the body of a request."""

import asyncio
from email import policy
from email.message import Message
from email.parser import BytesFeedParser
from io import BytesIO
from urllib.parse import parse_qsl

from starlette.datastructures import FormData, UploadFile
from starlette.requests import ClientDisconnect, Request

from masthead.http_body import BODY_SECONDS, MAX_BODY, read_body
from masthead.model.errors import Invalid, PayloadTooLarge
from masthead.model.translations import gettext as _
from masthead.web.kit.bodies.multipart import MalformedForm, MultipartReader

MAX_FIELDS = 1_000
PART = 1024 * 1024  # bytes of a large form that are stored at a time
MAX_AT_ONCE = 65_536  # bytes that are decoded on the event loop; more are decoded in a thread


async def read_form_data(request: Request, *, limit: int = MAX_BODY) -> FormData:
    """The submitted form. Raises: Invalid if it is malformed or slow; PayloadTooLarge."""
    seconds = BODY_SECONDS * max(1, limit // MAX_BODY // 4)
    try:
        body = await read_body(request.receive, seconds=seconds, limit=limit)
    except TimeoutError:
        raise Invalid(_("The form took too long to arrive. Send it again.")) from None
    content_type = request.headers.get("Content-Type", "")
    is_multipart = content_type.partition(";")[0].strip().lower() == "multipart/form-data"
    try:
        if is_multipart:
            return FormData(await asyncio.to_thread(parse_multipart, content_type, body))
        if len(body) <= MAX_AT_ONCE:
            pairs = parse_form(body)
        else:
            pairs = await asyncio.to_thread(parse_form, body)
    except ValueError:
        raise Invalid(
            _("The form cannot be read. Go back, reload the page and send the form again.")
        ) from None
    return FormData([(name, _storable(value)) for name, value in pairs])


async def read_large_form(request: Request, *, limit: int) -> FormData:
    """A form with a large file, which goes to the disk while it arrives.

    Raises: Invalid if the form is malformed, incomplete or slow; PayloadTooLarge.
    """
    length = request.headers.get("Content-Length", "")
    if length.isdigit() and int(length[:20]) > limit:
        raise PayloadTooLarge(limit)
    seconds = BODY_SECONDS * max(1, limit // MAX_BODY // 4)
    reader = None
    try:
        reader = MultipartReader(request.headers.get("Content-Type", ""))
        async with asyncio.timeout(seconds):
            await _receive_into(reader, request, limit)
        reader.close()
    except BaseException as reason:
        if reader is not None:
            reader.discard()
        if isinstance(reason, TimeoutError):
            raise Invalid(_("The form took too long to arrive. Send it again.")) from None
        if isinstance(reason, MalformedForm):
            raise Invalid(
                _("The file did not arrive completely. Go back and send it again.")
            ) from None
        raise
    return FormData(reader.fields)


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
            await asyncio.to_thread(reader.feed, bytes(part))
            request.scope["release_body"](len(part))
            part.clear()


def _storable(text: str) -> str:
    return text.replace("\0", "")


def parse_multipart(content_type: str, body: bytes) -> list[tuple[str, str | UploadFile]]:
    """The names of a form with files, and its texts and files. Raises: ValueError."""
    parser = BytesFeedParser(policy=policy.HTTP)
    parser.feed(f"Content-Type: {content_type}\r\n\r\n".encode("latin-1"))
    parser.feed(body)
    message = parser.close()
    parts = message.get_payload()
    if not isinstance(parts, list) or len(parts) > MAX_FIELDS:
        raise ValueError
    fields: list[tuple[str, str | UploadFile]] = []
    for part in parts:
        assert isinstance(part, Message)
        name = part.get_param("name", header="Content-Disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise ValueError
        filename = part.get_param("filename", header="Content-Disposition")
        if filename is None:
            fields.append((name, _storable(content.decode())))
        else:
            file = UploadFile(
                BytesIO(content), size=len(content), filename=_storable(str(filename))
            )
            fields.append((name, file))
    return fields


def parse_form(body: bytes) -> list[tuple[str, str]]:
    """The names and texts of a form. Raises: ValueError."""
    return parse_qsl(
        body.decode(),
        keep_blank_values=True,
        strict_parsing=bool(body),
        errors="strict",
        max_num_fields=MAX_FIELDS,
    )
