"""Responses that browsers save as files."""

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping
from typing import Any
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from masthead.services.child_process import run_in_file_thread
from masthead.temporary_files import TemporaryFile

PDF = "application/pdf"
UTF8_CSV = "text/csv; charset=utf-8"
CHUNK = 64 * 1024  # bytes
Content = bytes | AsyncIterable[Any] | Iterable[Any]


def attachment(
    content: Content,
    name: str,
    media_type: str,
    headers: Mapping[str, str] | None = None,
    *,
    is_typed: bool = False,
) -> Response:
    """A file to save under a name. content: in parts, it is streamed.

    is_typed: whether the name may have any characters, as that of a user's own file. Numbers of
    invoices, which users begin, may have letters of any language.
    """
    is_plain = name.isascii() and not is_typed
    named = f'filename="{name}"' if is_plain else f"filename*=UTF-8''{quote(name, safe='')}"
    given = {"Content-Disposition": f"attachment; {named}", **(headers or {})}
    if isinstance(content, bytes):
        return Response(content, headers=given, media_type=media_type)
    parts: Any = content
    return StreamingResponse(parts, headers=given, media_type=media_type)


async def read_file(file: TemporaryFile) -> AsyncIterator[bytes]:
    """The bytes of a file, which is deleted after that."""
    with file.path.open("rb") as stream:
        while chunk := await run_in_file_thread(stream.read, CHUNK):
            yield chunk
