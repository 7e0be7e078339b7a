"""Texts that are too long, on the pages."""

import html
import time
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response

from masthead.web.kit.client_request import WebDependencies
from masthead.web.kit.cookies import MESSAGE, SESSION
from masthead.web.kit.forms import MAX_FIELD
from masthead.web.kit.request_checks import MAX_PARAMETERS
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.web.conftest import Browsers, Person

MARKS = "a" + "\u0315\u0316" * 40_000


@for_each(
    "fields, message",
    [
        ({"email": MARKS, "password": "x"}, "“Email address” has 80001 characters; at most 255"),
        (
            {"email": "x" * 300_000, "password": "x"},
            f"“Email address” has 300000 characters; at most {MAX_FIELD} are allowed",
        ),
        (
            {"email": "ann@acme.test", "password": MARKS},
            "The password has 80001 characters; at most 128 are allowed",
        ),
    ],
)
async def test_a_sign_in_with_a_text_that_is_too_long_shows_the_form_without_the_text(
    browsers: Browsers, fields: dict[str, str], message: str
) -> None:
    person = Person(browsers(), "acme")
    response = await person.post("/sign-in/", {**fields, "next": "/desk/" + "x" * 3_000})
    assert response.status_code == 400
    assert message in html.unescape(response.text)
    assert 'name="email"' in response.text
    assert len(response.text) < 20_000


async def test_a_new_password_that_is_too_long_is_rejected(owner: Person) -> None:
    response = await owner.send("/you/", {"current": "x", "new": MARKS})
    assert "The password has 80001 characters; 12 to 128 are allowed" in response.text


async def test_a_current_password_that_is_too_long_counts_as_wrong(owner: Person) -> None:
    response = await owner.send("/you/", {"current": MARKS, "new": "seven quiet lighthouses"})
    assert "not your current password" in response.text


async def test_benefits_that_are_too_long_are_rejected(owner: Person) -> None:
    response = await owner.send(
        owner.address("settings", "products", "new"), {"name": "Print", "benefits": "x\n" * 25_000}
    )
    assert response.status_code == 400
    assert "“Benefits” has 49999 characters; at most 20000 are allowed" in response.text


async def test_long_values_are_quoted_in_part(owner: Person, acme: Cast) -> None:
    response = await owner.send(
        owner.address("settings", "account"), {"locale": "x" * 50_000, "name": "Acme"}
    )
    assert "has 50000 characters; at most 255" in response.text


@for_each("path", ["/desk/{}/", "/desk/{}/issues/", "/link/{}/"])
async def test_a_long_path_is_not_found(browsers: Browsers, path: str) -> None:
    response = await browsers().get(path.format("x" * 10_000))
    assert response.status_code == 404
    assert "x" * 300 not in response.text


async def test_a_query_string_has_a_limited_number_of_parameters(browsers: Browsers) -> None:
    response = await browsers().get("/sign-in/?" + "a=&" * MAX_PARAMETERS)
    assert response.status_code == 400
    assert f"more than {MAX_PARAMETERS} parameters" in response.text


async def test_a_search_that_is_too_long_shows_an_error(owner: Person) -> None:
    response = await owner.see("subscribers", search=MARKS[:3_000])
    assert response.status_code == 400
    assert "at most 255 characters" in response.text


async def test_a_form_of_a_megabyte_is_accepted(owner: Person) -> None:
    content = f"new={quote(MARKS)}&current=x"
    response = await owner.http.post(
        "/you/",
        content=content,
        headers={
            "Content-Type": "application/x-www-form-urlencoded",
            "Sec-Fetch-Site": "same-origin",
        },
    )
    assert "The password has" in response.text


@for_each("name", [SESSION, MESSAGE, "other"])
@for_each("sign", ["\\", '\\"'])
async def test_an_expensive_cookie_is_parsed_fast(app: Starlette, name: str, sign: str) -> None:
    value = sign * (60_000 // len(sign))
    headers = Headers({"Cookie": f'before=1; {name}="{value}"; after=2'})
    request = Request({"type": "http", "headers": headers.raw})
    web: WebDependencies = app.state.web
    began = time.thread_time()
    assert web.cookies.read_session(request) is None
    assert web.cookies.read_message(request, "acme") is None
    assert time.thread_time() - began < 1


async def test_of_two_cookies_with_the_same_name_the_last_one_counts(app: Starlette) -> None:
    web: WebDependencies = app.state.web
    response = Response()
    web.cookies.set_session(response, "token")
    set_cookie = response.headers["Set-Cookie"].partition(";")[0]
    for line, token in (
        (f"{SESSION}=x; {set_cookie}", "token"),
        (f"{set_cookie};{SESSION}=x", None),
        ("", None),
    ):
        request = Request({"type": "http", "headers": Headers({"Cookie": line}).raw})
        assert web.cookies.read_session(request) == token
