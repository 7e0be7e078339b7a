"""Users of the pages: they send the requests of a browser, without a browser."""

import html
import re
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass, field

import httpx
import pytest
from msgspec import structs
from starlette.applications import Starlette
from starlette.responses import Response

from masthead.model.ids import new_token, token_digest
from masthead.services.users import add_user
from masthead.store.engine.interface import Transaction
from masthead.store.identity import people, sessions as store
from masthead.web.kit.client_request import WebDependencies
from tests.conftest import BY, Cast

FIELD = re.compile(
    r'<input[^>]*\bname="(?P<input>[^"]+)"[^>]*>'
    r'|<select[^>]*\bname="(?P<select>[^"]+)"[^>]*>(?P<options>.*?)</select>'
    r'|<textarea[^>]*\bname="(?P<area>[^"]+)"[^>]*>(?P<text>.*?)</textarea>',
    re.DOTALL,
)


@dataclass
class Person:
    """A user with a browser, which keeps cookies and sends the forms of pages.

    at: the subdomain of the account.
    """

    http: httpx.AsyncClient
    at: str
    email: str = ""
    sent: dict[str, str | list[str]] = field(default_factory=dict)

    def address(self, *parts: object) -> str:
        """The address of a page of the account."""
        return "/desk/" + "/".join([self.at, *map(str, parts)]) + "/"

    async def see(self, *parts: object, **query: str) -> httpx.Response:
        """A page of the account."""
        return await self.http.get(self.address(*parts), params=query)

    async def text(self, *parts: object, **query: str) -> str:
        """The HTML of a page of the account, which must exist."""
        response = await self.see(*parts, **query)
        assert response.status_code == 200, response.text
        return response.text

    async def send(
        self,
        address: str,
        fields: Mapping[str, str | list[str]] | None = None,
        *,
        opened: str | None = None,
    ) -> httpx.Response:
        """Fill in the form of a page and send it, as a browser does.

        fields: the typed values; the others stay as the page shows them. opened: the page's
        address, if it is another than the form's.
        """
        page = await self.http.get(opened or address)
        self.sent = {**fields_of(page.text), **ticks_of(page.text), **(fields or {})}
        return await self.post(address, self.sent)

    async def post(
        self, address: str, fields: Mapping[str, str | list[str]] | None = None
    ) -> httpx.Response:
        """Send fields without loading a page first; at least one that all forms have."""
        sent = dict(fields or {"idempotency_key": ""})
        return await self.http.post(address, data=sent, headers={"Sec-Fetch-Site": "same-origin"})


def fields_of(page: str) -> dict[str, str]:
    """The values of the last and largest form of a page."""
    found = {}
    for match in FIELD.finditer(_form_of(page)):
        if match["select"]:
            chosen = re.search(r'<option[^>]*\bselected\b[^>]*\bvalue="([^"]*)"', match["options"])
            chosen = chosen or re.search(
                r'<option[^>]*\bvalue="([^"]*)"[^>]*\bselected\b', match["options"]
            )
            first = re.search(r'<option[^>]*\bvalue="([^"]*)"', match["options"])
            value = (chosen or first)[1] if chosen or first else ""  # type: ignore[index]
            found[match["select"]] = html.unescape(value)
        elif match["area"]:
            found[match["area"]] = html.unescape(match["text"]).removeprefix("\n").strip("\r\n")
        else:
            tag = match[0]
            kind = re.search(r'\btype="([^"]*)"', tag)
            if kind and kind[1] in ("checkbox", "radio") and " checked" not in tag:
                continue
            value_of = re.search(r'\bvalue="([^"]*)"', tag)
            found[match["input"]] = html.unescape(value_of[1]) if value_of else ""
    return found


def ticks_of(page: str) -> dict[str, str | list[str]]:
    """The values of the boxes with one name of which several are ticked, in the same form."""
    found: dict[str, list[str]] = {}
    for tag in re.findall(r'<input[^>]*\btype="checkbox"[^>]*>', _form_of(page)):
        name, value = re.search(r'\bname="([^"]+)"', tag), re.search(r'\bvalue="([^"]*)"', tag)
        if name and value and " checked" in tag:
            found.setdefault(name[1], []).append(html.unescape(value[1]))
    return {name: values for name, values in found.items() if len(values) > 1}


def _form_of(page: str) -> str:
    forms = re.findall(r"<form[^>]*method=\"post\".*?</form>", page, re.DOTALL)
    return max(forms, key=len, default="")


async def signed_in(app: Starlette, cast: Cast, email: str, http: httpx.AsyncClient) -> Person:
    """A user of the account with a new session."""
    token = new_token()

    async def work(tx: Transaction) -> None:
        person = await people.find_person(tx, email)
        assert person is not None
        await store.insert_session(tx, token_digest(token), person.id, "127.0.0.1")

    await cast.db.write(work)
    response = Response()
    web: WebDependencies = app.state.web
    web.cookies.set_session(response, token)
    name, _, value = response.headers["Set-Cookie"].partition(";")[0].partition("=")
    http.cookies.set(name, value, domain="masthead.test")
    return Person(http, cast.subdomain, email)


Browsers = Callable[[], httpx.AsyncClient]


@pytest.fixture
def mail_server(app: Starlette) -> Iterator[None]:
    """The pages of the application know a mail server during a test."""
    known = app.state.web
    app.state.web = structs.replace(known, has_mail=True)
    yield
    app.state.web = known


@pytest.fixture
async def browsers(app: Starlette) -> AsyncIterator[Browsers]:
    """A factory of browsers without cookies."""
    made: list[httpx.AsyncClient] = []

    def make() -> httpx.AsyncClient:
        made.append(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app),
                base_url="http://masthead.test",
                headers={"Accept": "text/html"},
            )
        )
        return made[-1]

    yield make
    for http in made:
        await http.aclose()


@pytest.fixture
async def owner(app: Starlette, acme: Cast, browsers: Browsers) -> Person:
    """The owner of Acme, signed in."""
    return await signed_in(app, acme, acme.owner, browsers())


@pytest.fixture
async def staff(app: Starlette, acme: Cast, browsers: Browsers) -> Person:
    """A user of Acme with the role staff, signed in."""
    email = f"staff@{acme.subdomain}.test"
    await add_user(acme.db, acme.account_id, email=email, by=BY)
    return await signed_in(app, acme, email, browsers())


@pytest.fixture
async def outsider(app: Starlette, acme: Cast, rival: Cast, browsers: Browsers) -> Person:
    """The owner of Rival, signed in, who opens pages of Acme."""
    person = await signed_in(app, rival, rival.owner, browsers())
    person.at = acme.subdomain
    return person
