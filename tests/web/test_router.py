"""Access to the pages, their security headers, and errors as pages."""

import ast
import asyncio
import re
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from msgspec import structs
from starlette.applications import Starlette
from starlette.requests import Request

from masthead import web
from masthead.services import child_process
from masthead.web.kit import form_data
from masthead.web.kit.attachments import UTF8_CSV, attachment
from masthead.web.kit.client_request import WebDependencies
from masthead.web.kit.context import PageContext
from masthead.web.kit.rendering import FILES, STATIC, VERSION, templates
from masthead.web.kit.router import PageAccess, PageRoute
from masthead.web.routes import PAGES
from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.waiting import PATIENCE
from tests.web.conftest import Browsers, Person, signed_in

OF_ACCOUNTS = [page for page in PAGES if "{subdomain}" in page.path]
OF_OWNERS = [page for page in PAGES if page.access is PageAccess.OWNER]
GUARDED = [page for page in PAGES if page.access is not PageAccess.ANYONE]
TAKING_FORMS = [page for page in PAGES if "POST" in page.methods.split()]


def filled(page: PageRoute, subdomain: str) -> str:
    """The path of a page, with ids that do not exist."""
    path = page.path.replace("{subdomain}", subdomain)
    return re.sub(r"\{\w+\}", "0NOSUCH", path)


def method_of(page: PageRoute) -> str:
    return page.methods.split()[0]


@for_each("page", GUARDED, ids=str)
async def test_without_a_session_a_page_redirects_to_the_sign_in(
    page: PageRoute, browsers: Browsers, acme: Cast
) -> None:
    response = await browsers().request(method_of(page), filled(page, acme.subdomain))
    if method_of(page) == "GET":
        assert response.status_code == 303
        assert response.headers["Location"].startswith("/sign-in/?next=/")
    else:
        assert response.status_code == 401


@for_each("page", OF_ACCOUNTS, ids=str)
async def test_another_account_is_not_found(page: PageRoute, outsider: Person) -> None:
    response = await outsider.http.request(method_of(page), filled(page, outsider.at))
    assert response.status_code == 404
    assert "There is no account" in response.text


@for_each("page", OF_OWNERS, ids=str)
async def test_only_owners_can_open_the_settings(page: PageRoute, staff: Person) -> None:
    response = await staff.http.request(method_of(page), filled(page, staff.at))
    assert response.status_code == 403


def test_only_the_page_without_a_session_accepts_forms_of_other_sites() -> None:
    accepting = [page.path for page in PAGES if page.accepts_other_sites]
    assert accepting == ["/unsubscribe/{token}/"]


@for_each("page", [page for page in TAKING_FORMS if not page.accepts_other_sites], ids=str)
@for_each(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.test"},
        {"Origin": "null"},
    ],
    ids=str,
)
async def test_a_form_from_another_site_changes_nothing(
    page: PageRoute, headers: dict[str, str], owner: Person
) -> None:
    response = await owner.http.post(filled(page, owner.at), headers=headers)
    assert response.status_code == 403
    assert "nothing was changed" in response.text


@for_each("page", [page for page in PAGES if page.methods == "POST"], ids=str)
async def test_a_path_that_accepts_only_forms_links_to_a_page(
    page: PageRoute, owner: Person
) -> None:
    response = await owner.http.get(filled(page, owner.at))
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")
    assert "Go to the desk" in response.text
    assert 'role="status"' not in response.text


@for_each(
    "page",
    [page for page in PAGES if page.methods == "GET" and page.access is PageAccess.MEMBER],
    ids=str,
)
async def test_a_page_without_a_form_rejects_forms(page: PageRoute, owner: Person) -> None:
    response = await owner.post(filled(page, owner.at))
    assert (response.status_code, response.headers["Allow"]) == (405, "GET")


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://masthead.test"}, {"Sec-Fetch-Site": "none"}, {}], ids=str
)
async def test_a_form_from_this_site_is_accepted(headers: dict[str, str], owner: Person) -> None:
    response = await owner.http.post("/sign-out/", headers=headers)
    assert response.status_code == 303


@for_each("page", PAGES, ids=str)
async def test_every_page_has_security_headers(
    page: PageRoute, app: Starlette, acme: Cast, browsers: Browsers
) -> None:
    owner = await signed_in(app, acme, acme.owner, browsers())  # a page may end the session
    response = await owner.http.request(method_of(page), filled(page, owner.at))
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert {"object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} <= set(
        policy.split("; ")
    )
    assert response.headers["Referrer-Policy"] == "same-origin"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Request-Id"]


def test_every_file_is_an_attachment_or_in_a_sandbox() -> None:
    sent: dict[str, str] = {}  # the code of functions that send a body of their own
    for path in Path(web.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                code = ast.unparse(function)
                if re.search(r"\b(Streaming|File)?Response\((?!status_code)", code):
                    sent[function.name] = code
    # files of masthead, its JSON, and a checked colour as a style sheet
    open_ones = {"send_static", "_json", "colours_of"}
    assert sent.keys() == open_ones | {"attachment", "logo_of", "send_picture"}
    assert open_ones == {
        name for name, code in sent.items() if "attachment; " not in code and "ISOLATED" not in code
    }


async def test_a_page_waits_for_no_thread_that_reads_files(owner: Person) -> None:
    is_over = threading.Event()
    threads = child_process._threads
    try:
        for _ in range(threads._max_workers):
            threads.submit(is_over.wait)
        async with asyncio.timeout(PATIENCE):
            assert (await owner.see("issues")).status_code == 200
    finally:
        is_over.set()


@for_each("name", ['a".csv', "a;b.csv", "a/../b.csv", "a\r\nX-Y: z", "Zoë €.csv", "%00", "'"])
def test_the_name_of_a_file_is_no_other_header_and_no_path(name: str) -> None:
    response = attachment(b"", name, UTF8_CSV, is_typed=True)
    named = response.headers["Content-Disposition"].removeprefix("attachment; filename*=UTF-8''")
    assert re.fullmatch(r"[A-Za-z0-9!#$&+.^_`|~%-]+", named)  # RFC 8187
    assert unquote(named) == name


async def test_a_form_of_a_signed_out_user_is_kept(browsers: Browsers) -> None:
    response = await browsers().post("/sign-out/", data={"name": 'Spring "& more'})
    assert response.status_code == 401
    assert 'value="Spring &#34;&amp; more"' in response.text


@pytest.mark.parametrize("cookie", ["", "x", "x.y", "x" * 5000])
async def test_a_tampered_cookie_does_not_sign_in(owner: Person, cookie: str) -> None:
    [name] = owner.http.cookies.keys()
    genuine = owner.http.cookies[name]
    assert (await owner.see()).status_code == 200
    owner.http.cookies.set(name, genuine[:-3] + "abc" + cookie, domain="masthead.test")
    assert (await owner.see()).status_code == 303


async def test_a_malformed_form_is_rejected(owner: Person) -> None:
    response = await owner.http.post("/sign-out/", content=b"\xff=%ff")
    assert response.status_code == 400


async def test_a_form_over_the_limit_is_rejected(owner: Person) -> None:
    async def endless() -> object:
        for _ in range(33):
            yield b"a" * 65_536

    response = await owner.http.post("/sign-out/", content=endless())  # type: ignore[arg-type]
    assert response.status_code == 413


async def test_the_start_page_redirects_to_the_desk(browsers: Browsers, client: Client) -> None:
    response = await browsers().get("/")
    assert (response.status_code, response.headers["Location"]) == (303, "/desk/")
    assert (await client.get("/")).json()["code"] == "not_found"


async def test_a_user_with_one_account_is_redirected_to_it(owner: Person) -> None:
    response = await owner.http.get("/desk/")
    assert response.headers["Location"] == owner.address()


@for_each("path", ["/nothing/", "/you/nothing/", "/static/1/nothing.css", "/v1", "/docs/nothing"])
async def test_a_browser_gets_a_page_for_an_unknown_path(owner: Person, path: str) -> None:
    response = await owner.http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert (response.status_code, response.headers["Content-Type"][:9]) == (404, "text/html")
    assert "There is no page at this address." in response.text
    assert f'<form class="filters" method="get" action="{owner.address("subscribers")}">' in (
        response.text
    )
    assert response.headers["Content-Security-Policy"]


async def test_a_program_gets_json_for_an_unknown_path(client: Client) -> None:
    assert (await client.get("/nothing/")).json()["code"] == "not_found"


async def test_a_missing_record_leads_to_the_list(owner: Person) -> None:
    response = await owner.see("issues", "0000")
    assert response.status_code == 404
    assert "There is no issue 0000 in this account." in response.text
    assert f'href="{owner.address("issues")}" role="button"' in response.text


async def test_a_path_without_its_trailing_slash_is_redirected(owner: Person) -> None:
    response = await owner.http.get(owner.address("subscribers").rstrip("/"))
    assert (response.status_code, response.headers["Location"]) == (
        303,
        owner.address("subscribers"),
    )


async def test_help_needs_no_session(browsers: Browsers) -> None:
    assert (await browsers().get("/help/")).status_code == 200


@for_each("name", sorted(FILES))
async def test_static_files_are_cached_by_browsers(client: Client, name: str) -> None:
    response = await client.get(f"/static/{VERSION}/{name}")
    assert response.content == (STATIC / name).read_bytes()
    assert "immutable" in response.headers["Cache-Control"]


@pytest.mark.parametrize(
    "name", ["VENDORED", "pico/VENDORED", "../router.py", "%2e%2e/router.py", "", "pico/", "pico"]
)
async def test_other_files_are_not_served(client: Client, name: str) -> None:
    assert (await client.get(f"/static/{VERSION}/{name}")).status_code == 404


async def test_a_page_that_fails_shows_no_details(app: Starlette, owner: Person) -> None:
    class Broken:
        def __getattr__(self, name: str) -> object:
            raise RuntimeError("secret words")

    whole: WebDependencies = app.state.web
    app.state.web = structs.replace(whole, db=Broken())
    try:
        response = await owner.see()
    finally:
        app.state.web = whole
    assert response.status_code == 500
    assert "secret words" not in response.text


@pytest.mark.parametrize(
    "peer,forwarded,address",
    [
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "198.51.100.1, 203.0.113.9", "203.0.113.9"),
        ("192.0.2.7", "203.0.113.9", "192.0.2.7"),
    ],
)
def test_only_a_trusted_proxy_can_pass_on_an_address(
    app: Starlette, peer: str, forwarded: str, address: str
) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    scope = {"type": "http", "headers": headers, "client": (peer, 1), "method": "GET"}
    assert PageContext(app.state.web, Request(scope), None, None).address == address


async def test_after_the_session_ends_a_block_asks_for_a_full_reload(
    browsers: Browsers, acme: Cast
) -> None:
    address = f"/desk/{acme.subdomain}/subscribers/?search=ann"
    response = await browsers().get(address, headers={"HX-Request": "true"})
    assert (response.status_code, response.headers["HX-Refresh"]) == (401, "true")


async def test_the_sign_in_returns_to_the_page_with_its_search_text(
    browsers: Browsers, acme: Cast
) -> None:
    response = await browsers().get(f"/desk/{acme.subdomain}/subscribers/?search=ann")
    target = response.headers["Location"].partition("?next=")[2]
    assert unquote(target) == f"/desk/{acme.subdomain}/subscribers/?search=ann"


async def test_a_form_that_does_not_end_is_rejected(
    app: Starlette, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(form_data, "BODY_SECONDS", 0.05)

    async def hesitant() -> AsyncIterator[bytes]:
        yield b"name="
        await asyncio.sleep(1)

    response = await owner.http.post("/sign-out/", content=hesitant())
    assert response.status_code == 400
    assert "took too long" in response.text


@pytest.mark.parametrize("name", ["day", "moment", "number", "country"])
def test_a_missing_value_is_shown_as_an_empty_text(name: str) -> None:
    page = templates.from_string("{{ none | " + name + " }}|{{ none | money('EUR') }}")
    assert page.render(locale="en_GB", none=None) == "|"
