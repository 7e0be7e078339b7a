"""No request fails: each page and operation refuses what it cannot read."""

import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from starlette.applications import Starlette
from structlog.testing import capture_logs

from masthead.api.routes import ROUTES
from masthead.web.routes import PAGES
from masthead.web.subscribers import list_page
from tests.conftest import Cast
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.rich_account import make_rich
from tests.support.rounds import rounds
from tests.support.webhooks import make_webhook
from tests.web.conftest import Person
from tests.web.test_request_costs import URLENCODED, call, cookies_of

ADDRESSES = sorted(
    {
        (method, page.path)
        for page in PAGES
        for method in page.methods.split()
        if page.path != "/sign-out/"  # it ends the session
    }
    | {(route.method, route.path) for route in ROUTES}
)
# Names of parameters and fields: with others, nothing behind the first check is reached
NAMES = st.sampled_from(
    "search status limit cursor after sort page next email name number date year month from to "
    "source seen original_values idempotency_key part file ids order_id id type".split()
)
VALUES = st.one_of(
    st.sampled_from(
        [
            *("", "0", "-1", "1", "9" * 20, "1e400", "NaN", "٣", "1_0", " 1", "true", "null", "²"),
            *("2026-02-30", "0000-00-00", "9999-12-31", "2026-01-01T00:00:00Z", "2026-13", "1-1"),
            *("\0", "\ud7ff", "\ufeff", "é", "a" * 300, "../..", "%", "%00", "//a.test", "[", "{}"),
            *('{"a":' * 2_000, "[" * 5_000, '{"x": ' + "[" * 5_000, "a@b", "=1", "<a>", "\r\n"),
        ]
    ),
    st.text(st.characters(codec="utf-8"), max_size=8),
)
IDS = st.sampled_from(["{known}", "0NOSUCH", "9" * 20, "%00", "%FF", "é", "-1", "0", "a" * 300])
QUOTED = st.tuples(NAMES, VALUES).map(lambda pair: f"{pair[0]}={encoded(pair[1])}")
FORMS = st.lists(QUOTED, max_size=4).map("&".join)
HEADERS = st.dictionaries(
    st.sampled_from(
        "Accept-Language X-Forwarded-For User-Agent If-None-Match If-Modified-Since Range Origin "
        "Idempotency-Key Sec-Fetch-Site HX-Request HX-Target Referer Accept Cookie Authorization "
        "Content-Type X-Forwarded-Proto X-Request-Id traceparent Host".split()
    ),
    st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=20)
    | st.sampled_from(["*", '"', "Bearer mh_", "masthead_session=a.b", "a;q=nan", "bytes=0-", "["]),
    max_size=3,
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | VALUES, inner, max_size=4),
    max_leaves=8,
)


def encoded(text: str) -> str:
    """A text as it is sent in a query or a form."""
    return "".join(f"%{byte:02X}" for byte in text.encode(errors="replace"))


def json_of(value: Any) -> bytes:
    """A JSON body."""
    return json.dumps(value).encode()


async def known_ids(acme: Cast) -> dict[str, str]:
    """The id of a record, by the part of the path before it."""
    found = {}
    for name in ("subscribers", "subscriptions", "issues", "sources", "dispatches", "webhooks"):
        records = (await acme.get(f"/v1/{name}/")).json()["items"]
        found[name] = str(records[0]["id"])
    return found


def filled(path: str, subdomain: str, id: str, known: Mapping[str, str]) -> str:
    """An address of a route."""
    path = path.replace("{subdomain}", subdomain)
    for name, real in known.items():
        path = path.replace(f"/{name}/{{id}}/", f"/{name}/{real if id == '{known}' else id}/")
    return re.sub(r"\{\w+(:\w+)?\}", encoded(id) if id == "é" else id.strip("{}"), path)


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, str, str, dict[str, str], bytes]:
    """Method, path, id, headers and body of a request; the body is a form, JSON, or any bytes."""
    method, path = draw(st.sampled_from(ADDRESSES))
    headers, body = draw(HEADERS), b""
    if method != "GET":
        kind = "application/json" if path.startswith("/v1/") else URLENCODED
        headers.setdefault("Content-Type", kind)
        as_json = JSON.map(json_of) if path.startswith("/v1/") else FORMS.map(str.encode)
        body = draw(as_json | st.binary(max_size=20))
    query = draw(FORMS)
    return method, path + ("?" + query if query else ""), draw(IDS), headers, body


async def require_no_failure(
    app: Starlette, method: str, address: str, headers: Mapping[str, str], body: bytes
) -> None:
    """Send a request, and fail if the answer is an internal error, or one is in the log."""
    with capture_logs() as lines:
        status, _ = await call(app, method, address, headers, body)
    failures = [line for line in lines if line["log_level"] == "error" or "exc_info" in line]
    events = [line["event"] for line in failures] + ["status 500"] * (status == 500)
    assert not events, (method, address, headers, body, events, failures)


@pytest.fixture
async def known(acme: Cast) -> dict[str, str]:
    """The ids of records of an account that has some of each kind."""
    await make_rich(acme)
    await make_webhook(acme, PUBLIC_URL)
    return await known_ids(acme)


@pytest.mark.fuzz
@settings(
    max_examples=rounds(200),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(sent=requests())
async def test_no_request_fails(
    app: Starlette,
    acme: Cast,
    owner: Person,
    known: dict[str, str],
    sent: tuple[str, str, str, dict[str, str], bytes],
) -> None:
    method, path, id, headers, body = sent
    address = filled(path, acme.subdomain, id, known)
    for more in ({}, cookies_of(owner) | {"Authorization": f"Bearer {acme.key}"}):
        await require_no_failure(app, method, address, headers | more, body)


async def test_no_form_without_fields_fails(
    app: Starlette, acme: Cast, owner: Person, known: dict[str, str]
) -> None:
    headers = {"Content-Type": URLENCODED} | cookies_of(owner)
    for method, path in ADDRESSES:
        if method == "POST" and not path.startswith("/v1/"):
            address = filled(path, acme.subdomain, "{known}", known)
            await require_no_failure(app, method, address, headers, b"")


async def test_a_failure_is_found(
    app: Starlette, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_page, "decode_filters", None)
    address = owner.address("subscribers")
    with pytest.raises(AssertionError, match="page failed"):
        await require_no_failure(app, "GET", address, cookies_of(owner), b"")
