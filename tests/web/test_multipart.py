"""Forms with files, which are read while they arrive."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.datastructures import UploadFile
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from masthead.model.errors import Invalid, PayloadTooLarge
from masthead.serving.requests import MAX_BODY
from masthead.web.kit import form_data
from masthead.web.kit.form_data import (
    MAX_BOUNDARY,
    MAX_HEADER,
    MAX_HEADERS,
    MAX_PARTS,
    MAX_VALUE,
    MalformedForm,
    MultipartForm,
    read_file_form,
)
from tests.support.cases import for_each

TYPE = "multipart/form-data; boundary=----x"
FILE = b"name;city\r\n----x\r\nM\xc3\xbcller;--Bonn\r\n-----\r\n"
BODY = (
    b'------x\r\nContent-Disposition: form-data; name="source"\r\n\r\nSH\0OP\r\n'
    b'------x\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n'
    b'------x\r\nContent-Disposition: form-data; name="file"; filename="M\xc3\xbc %22a%22.csv"\r\n'
    b"Content-Type: text/csv\r\n\r\n" + FILE + b"\r\n------x--\r\n"
)


def read(*parts: bytes, content_type: str = TYPE) -> dict[str, object]:
    """The fields of a form that arrives in parts; the content of its files."""
    form = MultipartForm(content_type)
    try:
        for part in parts:
            form.feed(part)
        form.close()
        return {
            name: (value.filename, value.size, value.file.read())
            if isinstance(value, UploadFile)
            else value
            for name, value in form.fields
        }
    finally:
        form.discard()


@for_each("size", [1, 2, 3, 7, 50, len(BODY)])
def test_a_form_is_read_in_parts_of_any_size(size: int) -> None:
    parts = [BODY[start : start + size] for start in range(0, len(BODY), size)]
    assert read(*parts) == {
        "source": "SHOP",
        "empty": "",
        "file": ('Mü "a".csv', len(FILE), FILE),
    }


def test_a_file_goes_to_the_disk() -> None:
    content = b"x" * (300_000)
    head, _, tail = BODY.partition(FILE)
    form = MultipartForm(TYPE)
    for part in (head, content, tail):
        form.feed(part)
    form.close()
    (file,) = [value for _name, value in form.fields if isinstance(value, UploadFile)]
    path = Path(file.file.name)
    assert path.stat().st_size
    assert file.file.read() == content
    form.discard()
    assert not path.exists()


@for_each(
    "body",
    [
        BODY[:-8],
        BODY[:200],
        BODY[:20],
        b"",
        b"no boundary at all",
        BODY.replace(b"------x\r\n", b"------xx\r\n", 1),
        BODY.replace(b'name="source"', b'title="source"'),
        BODY.replace(b"Content-Type: text/csv", b"X: " + b"a" * MAX_HEADER),
        BODY.replace(b"Content-Type: text/csv", b"\r\n".join([b"X: a"] * MAX_HEADERS)),
        BODY[: BODY.index(b"Content-Type")] + b"a" * 2 * MAX_HEADER,
        BODY.replace(b"SH\0OP", b"a" * (MAX_VALUE + 1)),
        BODY.replace(b"SH\0OP", b"\xff"),
        BODY[: BODY.index(b"------x", 5)] * (MAX_PARTS + 1),
        BODY[: BODY.index(b"------x", 5)] * MAX_PARTS + BODY,
    ],
)
def test_a_malformed_or_incomplete_form_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedForm):
        read(body)


@pytest.mark.parametrize(
    "content_type",
    [
        "multipart/form-data",
        "multipart/form-data; boundary=",
        f"multipart/form-data; boundary={'x' * (MAX_BOUNDARY + 1)}",
        TYPE + '; a="b"' * MAX_HEADER,
    ],
)
def test_a_form_without_a_short_boundary_is_refused(content_type: str) -> None:
    with pytest.raises(MalformedForm):
        read(BODY, content_type=content_type)


def test_a_part_that_is_a_form_is_not_parsed() -> None:
    inner = BODY.replace(b"----x", b"----y")
    kind = b"multipart/form-data; boundary=----y"
    assert read(BODY.replace(b"text/csv", kind).replace(FILE, inner)) == {
        "source": "SHOP",
        "empty": "",
        "file": ('Mü "a".csv', len(inner), inner),
    }


class Sent:
    """A request whose body arrives in messages. released: the bytes that are no longer held."""

    def __init__(self, *messages: Message, length: str = "") -> None:
        self._messages: Iterator[Message] = iter(messages)
        self.released = 0
        headers = [(b"content-type", TYPE.encode()), (b"content-length", length.encode())]
        scope = {"type": "http", "headers": headers, "release_body": self.release}
        self.request = Request(scope, self.receive)

    async def receive(self) -> Message:
        message = next(self._messages, None)
        if message is None:
            await asyncio.Event().wait()
        assert message is not None
        return message

    def release(self, size: int) -> None:
        self.released += size


def part(data: bytes, *, more: bool) -> Message:
    return {"type": "http.request", "body": data, "more_body": more}


async def test_a_form_with_a_file_is_released_while_it_arrives() -> None:
    sent = Sent(part(BODY[:90], more=True), part(BODY[90:], more=True), part(b"", more=False))
    form = await read_file_form(sent.request, max_file=1)
    await form.close()
    assert form["source"] == "SHOP"
    assert sent.released == len(BODY)


@pytest.mark.parametrize(
    "sent,error",
    [
        (Sent(part(BODY[:-9], more=False)), Invalid),
        (Sent(part(BODY, more=True), part(bytes(MAX_BODY), more=False)), PayloadTooLarge),
        (Sent(length=str(MAX_BODY + 2)), PayloadTooLarge),
        (Sent(part(BODY, more=True), {"type": "http.disconnect"}), ClientDisconnect),
    ],
)
async def test_a_form_with_a_file_that_is_cut_or_too_large_is_refused(
    sent: Sent, error: type[Exception]
) -> None:
    with pytest.raises(error):
        await read_file_form(sent.request, max_file=1)


async def test_a_form_with_a_file_that_does_not_end_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(form_data, "BODY_SECONDS", 0.01)

    with pytest.raises(Invalid, match="too long"):
        await read_file_form(Sent().request, max_file=1)
