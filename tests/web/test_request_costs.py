"""What requests of outsiders cost: no form, header or path blocks the pages of others.

Costs are processor time, in the process of the tests, and not the time on the clock.
"""

import asyncio
import contextlib
import gc
import time
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from starlette.applications import Starlette
from starlette.types import Message

from masthead.web.kit import form_data
from masthead.web.kit.form_data import MalformedForm, MultipartForm
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.routes import PAGES
from tests.support.cases import for_each
from tests.web.conftest import Person
from tests.web.test_router import filled

MIB = 1_048_576
HEAD = 65_536 - 2_048  # bytes; the server refuses larger heads of requests
BOUND = 0.1  # seconds for one request; the most expensive one takes a third of it
BESIDE = 0.2  # seconds for a page beside eight such requests
TYPE = "multipart/form-data; boundary="
URLENCODED = "application/x-www-form-urlencoded"
DISPOSITION = b'Content-Disposition: form-data; name="file"; filename="a.csv"\r\n'


def full(unit: bytes, size: int = MIB - 1_024) -> bytes:
    """A text repeated up to a size."""
    return unit * (size // len(unit))


def one_part(head: bytes, content: bytes = b"", boundary: bytes = b"x") -> bytes:
    """A form with one part."""
    return b"--%b\r\n%b\r\n%b\r\n--%b--\r\n" % (boundary, head, content, boundary)


def nested(depth: int) -> bytes:
    """A form whose parts are forms, filled up to 1 MiB."""
    opened = [
        b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (level, level + 1)
        for level in range(depth)
    ]
    start = b"".join(opened)
    return start + full(b"--b%d\r\n\r\n\r\n" % depth, MIB - 1_024 - len(start))


# Forms that were expensive to parse, by what is unusual in them: the boundary, and the body
MULTIPART = {
    "nested 50 deep": ("b0", nested(50)),
    "nested 400 deep": ("b0", nested(400)),
    "nested 2,000 deep": ("b0", nested(2_000)),
    "100,000 empty parts": ("x", b"--x\r\n\r\n\r\n" * 100_000),
    "many named parts": ("x", full(b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n')),
    "a header of parameters": (
        "x",
        one_part(b"Content-Disposition: form-data" + b';a="b"' * 10_900),
    ),
    "headers of parameters": (
        "x",
        full(b'--x\r\nContent-Disposition: form-data;name="a"' + b';a="b"' * 660 + b"\r\n\r\n\r\n"),
    ),
    "parentheses": ("x", one_part(b"Content-Disposition: " + full(b"(", MIB - 1_024))),
    "quotes": ("x", one_part(b"Content-Disposition: form-data; name=" + full(b'"\\', MIB - 1_024))),
    "a header without end": ("x", b"--x\r\n" + full(b"a")),
    "headers": ("x", b"--x\r\n" + full(b"a:b\r\n")),
    "no boundary": ("x", full(b"\r\n")),
    "almost boundaries": ("x", one_part(DISPOSITION, full(b"\r\n--"))),
    "boundaries that go on": ("x", one_part(DISPOSITION, full(b"\r\n--xy"))),
    "a boundary of dashes": ("-" * 70, one_part(DISPOSITION, full(b"\r\n-"), b"-" * 70)),
    "a long text": (
        "x",
        one_part(b'Content-Disposition: form-data; name="source"\r\n', full(b"a")),
    ),
    "after the end": ("x", one_part(DISPOSITION) + full(b"--x\r\n")),
    "content type of parameters": ("x" + ';a="b"' * 10_000, one_part(DISPOSITION)),
}
FORMS = {
    unit: full(unit)
    for unit in (
        b"a=%41",
        b"a=%C3%A9",
        b"=",
        b"&",
        b"a=&",
        b"%",
        b"+",
        b"\xff",
        b"a=%4",
        b"%00",
        b"\0",
    )
} | {
    b"a=%41...": b"a=" + full(b"%41", MIB - 1_024),
    b"a=%41\xc3\xa9...": b"a=" + full(b"%41\xc3\xa9", MIB - 1_024),
    b"1,000 fields": full(b"a=" + b"%22" * 340 + b"&")[: MIB - 1_000],
}
HEADERS = {
    "Accept-Language": ["a,", "1", "a;q=9", "-", "de_", "x-"],
    "Cookie": ["masthead_session=a.", "a=b;", ";", "masthead_message=a.", '"\\', "masthead_desk=."],
    "X-Forwarded-For": ["127.0.0.1,", "::1,", ",", "1.", ":", "["],
    "X-Forwarded-Proto": [" "],
    "User-Agent": ["Mozilla/5.0 ", "(", "Chrome/", "Version/1 Safari/", " "],
    "Content-Type": ['a;b="c"', "(", ";", 'multipart/form-data;a="b"'],
    "Authorization": ["Bearer ", "mh_", " "],
    "Idempotency-Key": ["a", '"', "\\", " "],
    "Origin": ["http://[", "//", "a@", ":"],
    "HX-Target": ["<", "a"],
    "If-None-Match": ['"a",'],
    "Accept": ["a/b;q=1,"],
    "X-Request-Id": ["a"],
    "traceparent": ["00-"],
}
ADDRESSES = ["a", "a/", "%2F", "%25", "/", "%41", "%", "%C3%A9", "%FF", ";"]
QUERIES = ["%41", "%", "a=%", "search=%41", "&", "a=b&", "=", "search=%CC%95", "limit=1", "%FF"]


def scope_of(method: str, address: str, headers: Mapping[str, str]) -> dict[str, object]:
    """A request as the server passes it to the application."""
    path, _, query = address.partition("?")
    return {
        "type": "http",
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": unquote_to_bytes(path).decode(errors="replace"),
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", "1"),
    }


async def call(
    app: Starlette,
    method: str,
    address: str,
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> tuple[int, float]:
    """The status of a request, and the seconds of processor time until its response.

    It is given to the application directly, because a client would need more time than that.
    """
    sent = {"Host": "masthead.test", "Content-Length": str(len(body)), **(headers or {})}
    statuses = []
    messages: Iterator[Message] = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> Message:
        for message in messages:
            return message
        return await asyncio.Future()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    scope = scope_of(method, address, sent)
    began = time.process_time()
    await app(scope, receive, send)
    return statuses[0], time.process_time() - began


def read(parts: Iterable[bytes], boundary: str) -> list[tuple[str, object]] | None:
    """The fields of a form that arrives in parts, with the content of files; None if malformed."""
    form = None
    try:
        form = MultipartForm(TYPE + boundary)
        for part in parts:
            form.feed(part)
        form.close()
        return [
            (name, value if isinstance(value, str) else (value.filename, value.file.read()))
            for name, value in form.fields
        ]
    except MalformedForm:
        return None
    finally:
        if form is not None:
            form.discard()


def cookies_of(person: Person) -> dict[str, str]:
    """The header that signs a person in."""
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in person.http.cookies.items())}


@pytest.fixture(autouse=True)
def without_collection() -> Iterator[None]:
    """No garbage collection: it would look at the objects of all tests of this process."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
async def warm(app: Starlette) -> Starlette:
    """The application, with the templates that the requests need."""
    for address in ("/sign-in/", "/nothing/", "/desk/nothing/"):
        await call(app, "GET", address)
    await call(app, "POST", "/sign-in/", {"Content-Type": URLENCODED}, b"a=b")
    await call(app, "POST", "/sign-out/", {"Content-Type": URLENCODED}, b"a=b")
    return app


@pytest.mark.parametrize("name", MULTIPART)
async def test_a_form_of_an_outsider_costs_little(warm: Starlette, name: str) -> None:
    boundary, body = MULTIPART[name]
    for address in ("/sign-in/", "/sign-out/", "/desk/nothing/imports/new/"):
        status, seconds = await call(warm, "POST", address, {"Content-Type": TYPE + boundary}, body)
        assert status in (400, 401)
        assert seconds < BOUND


@pytest.mark.parametrize("name", MULTIPART)
@pytest.mark.parametrize("size", [65_536, MIB])
def test_a_form_with_a_file_is_parsed_fast(name: str, size: int) -> None:
    boundary, body = MULTIPART[name]
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    began = time.process_time()
    read(parts, boundary)
    assert time.process_time() - began < BOUND


@pytest.mark.parametrize("name", FORMS, ids=str)
async def test_a_form_without_files_costs_little(warm: Starlette, name: bytes) -> None:
    for address in ("/sign-in/", "/sign-out/"):
        sent = {"Content-Type": URLENCODED}
        status, seconds = await call(warm, "POST", address, sent, FORMS[name])
        assert status in (400, 401)
        assert seconds < BOUND


@pytest.mark.parametrize("name", ["nested 50 deep", "nested 400 deep", "100,000 empty parts"])
async def test_a_page_beside_eight_expensive_forms_waits_little(warm: Starlette, name: str) -> None:
    boundary, body = MULTIPART[name]
    began = time.process_time()
    forms = [
        asyncio.create_task(
            call(warm, "POST", "/sign-in/", {"Content-Type": TYPE + boundary}, body)
        )
        for _ in range(8)
    ]
    await asyncio.sleep(0)
    status, _ = await call(warm, "GET", "/sign-in/")
    assert status == 200
    assert time.process_time() - began < BESIDE
    await asyncio.gather(*forms)


@pytest.mark.parametrize("name", ["many named parts", "boundaries that go on"])
def test_without_the_limit_of_parts_a_form_is_expensive(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    limited = cost_of_form(name)
    monkeypatch.setattr(form_data, "MAX_PARTS", MIB)
    assert cost_of_form(name) > 10 * limited  # 70 times and more


def cost_of_form(name: str) -> float:
    """Seconds until a form is read or refused."""
    boundary, body = MULTIPART[name]
    began = time.process_time()
    form = MultipartForm(TYPE + boundary)
    with contextlib.suppress(MalformedForm):
        form.feed(body)
    form.discard()
    return time.process_time() - began


@pytest.mark.parametrize("name", HEADERS)
async def test_a_header_costs_little(warm: Starlette, acme: object, name: str) -> None:
    for unit in HEADERS[name]:
        value = unit * (HEAD // len(unit))
        for method, address in [
            ("GET", "/sign-in/"),
            ("POST", "/sign-in/"),
            ("GET", "/v1/subscribers/"),
            ("POST", "/v1/subscriptions/"),
        ]:
            status, seconds = await call(warm, method, address, {name: value})
            assert status in (200, 400, 401, 403)
            assert seconds < BOUND


@pytest.mark.parametrize(
    "start", ["/", "/desk/", "/desk/a/issues/", "/sign-in/", "/unsubscribe/", "/static/", "/v1/"]
)
async def test_a_long_path_costs_little(warm: Starlette, start: str) -> None:
    for unit in ADDRESSES:
        status, seconds = await call(warm, "GET", start + unit * (HEAD // len(unit)))
        assert status in (401, 404)
        assert seconds < BOUND


async def test_a_long_query_costs_little(warm: Starlette, staff: Person) -> None:
    for address in ("/sign-in/", staff.address("subscribers")):
        await call(warm, "GET", address, cookies_of(staff))
        for unit in QUERIES:
            query = unit * (HEAD // len(unit))
            status, seconds = await call(warm, "GET", f"{address}?{query}", cookies_of(staff))
            assert status in (200, 303, 400, 404)
            assert seconds < BOUND


# --- Files only where a page has one, and the form last -------------------------------------------

WITH_FILE = {page.path for page in PAGES if page.max_file}
TAKING_FORMS = [page for page in PAGES if "POST" in page.methods.split()]


def test_few_pages_take_files() -> None:
    assert {path.removeprefix("/desk/{subdomain}/") for path in WITH_FILE} == {
        "imports/new/",
        "issues/{id}/cover/",
        "money/statements/",
        "returns/files/",
        "settings/billing/letterhead/",
        "settings/self-service/logo/upload/",
        "subscribers/{id}/account/mandates/new/",
        "subscribers/{id}/account/mandates/{mandate}/",
    }


async def test_only_pages_with_a_file_read_a_form_with_files(owner: Person) -> None:
    pages = [page for page in TAKING_FORMS if not page.max_file and not page.accepts_other_sites]
    assert len(pages) > 50
    for page in pages:
        answer = await owner.http.post(filled(page, owner.at), files={"a": ("a.csv", b"a")})
        is_confirmed = page.access is not PageAccess.CONFIRMED or answer.status_code != 303
        if is_confirmed:
            assert answer.status_code == 400, page.path
            assert "This page takes no files." in answer.text, page.path


class Unreadable:
    """A body that must not be read."""

    def __aiter__(self) -> "Unreadable":
        return self

    async def __anext__(self) -> bytes:
        raise AssertionError("the body was read")


@for_each("page", [page for page in PAGES if page.access is PageAccess.OWNER], ids=str)
async def test_a_form_of_staff_for_owners_is_not_read(page: PageRoute, staff: Person) -> None:
    answer = await staff.http.post(
        filled(page, staff.at), content=Unreadable(), headers={"Content-Type": URLENCODED}
    )
    assert answer.status_code == 403


@for_each("page", [page for page in PAGES if page.methods == "GET"], ids=str)
async def test_a_form_is_not_read_by_a_page_without_one(page: PageRoute, owner: Person) -> None:
    answer = await owner.http.post(
        filled(page, owner.at), content=Unreadable(), headers={"Content-Type": URLENCODED}
    )
    assert answer.status_code == 405


async def test_a_form_of_another_account_is_not_read(outsider: Person) -> None:
    answer = await outsider.http.post(
        outsider.address("issues", "new"),
        content=Unreadable(),
        headers={"Content-Type": URLENCODED},
    )
    assert answer.status_code == 404


async def test_a_file_of_an_outsider_is_not_read(
    app: Starlette, acme: object, outsider: Person
) -> None:
    outsider.http.cookies.clear()
    answer = await outsider.http.post(
        outsider.address("imports", "new"),
        content=Unreadable(),
        headers={"Content-Type": TYPE + "x"},
    )
    assert answer.status_code == 401


REST: Message = {"type": "http.request", "body": b"a=b", "more_body": False}
GONE: Message = {"type": "http.disconnect"}


@pytest.mark.parametrize(
    "headers, message, expected",
    [
        ({"Content-Length": "3"}, REST, ["response", "http.request"]),
        ({"Content-Length": "3"}, GONE, ["response", "http.disconnect"]),
        ({"Content-Length": str(2 * MIB)}, REST, ["response"]),  # only pages with files take it
        ({"Transfer-Encoding": "chunked"}, REST, ["response"]),
    ],
    ids=str,
)
async def test_a_small_unread_body_is_received_after_the_response(
    warm: Starlette, headers: dict[str, str], message: Message, expected: list[str]
) -> None:
    events = []

    async def receive() -> Message:
        events.append(message["type"])
        return message

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            events.append("response")

    sent = {"Host": "masthead.test", "Content-Type": TYPE + "x", **headers}
    await warm(scope_of("POST", "/desk/a/imports/new/", sent), receive, send)
    assert events == expected


# --- Random forms ---------------------------------------------------------------------------------

FIRST_PART = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n"
PIECES = st.sampled_from(
    [
        *(b"--x", b"--x--", b"--x \t", b"--", b"x", b"\r\n", b"\r", b"\n", b"\r\n\r\n", b":", b"a"),
        *(b"Content-Disposition: form-data", b'; name="file"', b'; filename="a.csv"', b"; name=a"),
        *(
            b"Content-Type: text/csv",
            b"Content-Type: multipart/mixed; boundary=x",
            b";",
            b'"',
            b"\\",
        ),
        *(
            b"--x\r\n" + DISPOSITION + b"\r\n",
            b"\r\n--x--\r\n",
            b"\0",
            b"\xff",
            b"%22",
            b"filename*=",
        ),
    ]
) | st.binary(max_size=3)
BODIES = st.lists(PIECES, max_size=30).map(b"".join)
CONTENT_TYPES = st.sampled_from(
    [
        TYPE + "x",
        TYPE + '"x"',
        "multipart/form-data",
        TYPE,
        TYPE + "x; charset=punycode",
        URLENCODED,
    ]
) | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)


@pytest.mark.fuzz
@settings(deadline=None)
@given(BODIES, st.integers(1, 20))
@example(FIRST_PART + b"\r\n--xy" * (form_data.MAX_PARTS + 1) + b"\r\n--x--", 3)
@example(b"\r\n\0--x--", 1)
def test_a_form_is_read_the_same_in_parts_of_any_size(body: bytes, size: int) -> None:
    parts = [body[start : start + size] for start in range(0, len(body), size)]
    assert read(parts, "x") == read([body], "x")


@pytest.mark.fuzz
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    address=st.sampled_from(["/sign-in/", "/sign-out/", "imports", "cover"]),
    content_type=CONTENT_TYPES,
    body=BODIES,
)
async def test_no_form_fails(
    app: Starlette, staff: Person, address: str, content_type: str, body: bytes
) -> None:
    if address == "imports":
        address = staff.address("imports", "new")
    elif address == "cover":
        address = staff.address("issues", "0NOSUCH", "cover")
    for headers in ({}, cookies_of(staff)):
        sent = {"Content-Type": content_type, **headers}
        status, _ = await call(app, "POST", address, sent, body)
        assert status < 500


@pytest.mark.fuzz
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "POST"]),
    address=st.sampled_from(["/sign-in/", "/desk/a/", "/v1/subscribers/", "/v1/issues/", "/docs"]),
    headers=st.dictionaries(
        st.sampled_from(sorted(HEADERS)),
        st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=40)
        | st.sampled_from([unit * 9 for units in HEADERS.values() for unit in units]),
        max_size=5,
    ),
    query=st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30),
)
async def test_no_header_or_query_fails(
    app: Starlette, method: str, address: str, headers: dict[str, str], query: str
) -> None:
    status, _ = await call(app, method, f"{address}?{query}", headers)
    assert status < 500
