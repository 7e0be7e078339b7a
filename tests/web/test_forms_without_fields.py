"""A form that arrives without its fields is refused: WTForms would save what its page shows."""

import html
import re
from collections.abc import Iterable, Iterator

from masthead.web.kit.router import PageRoute
from masthead.web.routes import PAGES
from masthead.web.subscriber_pages.router import MyRoute
from masthead.web.subscriber_pages.routes import MY_PAGES
from tests.conftest import Cast
from tests.support.billing import turn_on_billing
from tests.support.databases import list_tables
from tests.support.factories import make_subscription
from tests.support.subscriber_pages import Reader, open_page
from tests.web.conftest import Browsers, Person
from tests.web.test_any_request import filled, known

__all__ = ["known"]
FORM = re.compile(r'<form\b(?=[^>]*method="post")(.*?)</form>', re.DOTALL)
NAME = re.compile(r'\bname="([^"]+)')
KEY = "idempotency_key"  # is in every form that changes something
ACTION = re.compile(r'\baction="(/[^"?]*)')


def with_fields(pages: Iterable[PageRoute | MyRoute]) -> list[str]:
    """The paths that a form with fields is sent to."""
    return [it.path for it in pages if "POST" in it.methods.split() and not it.is_button]


def without_fields(page: str) -> Iterator[str]:
    """The paths that forms of a page are sent to in which there is nothing to type or choose."""
    for form in FORM.findall(page):
        names = set(NAME.findall(form)) - {KEY}
        if not names and (found := ACTION.search(form)):
            yield html.unescape(found[1])


async def rows_of(cast: Cast) -> dict[str, list[str]]:
    """All rows of the database, by their table."""
    found = {}
    for table in await list_tables(cast.db):
        rows = await cast.db.fetch_all(f"SELECT * FROM {table}", {})  # noqa: S608 - of the schema
        found[table] = sorted(repr(dict(row)) for row in rows)
    return found


async def test_a_form_without_its_fields_changes_nothing(
    acme: Cast, owner: Person, known: dict[str, str]
) -> None:
    before = await rows_of(acme)
    for path in with_fields(PAGES):
        address = filled(path, acme.subdomain, "{known}", known)
        response = await owner.http.post(address, headers={"Sec-Fetch-Site": "same-origin"})
        assert response.status_code == 400, path
        assert "The form arrived empty, so nothing was changed." in response.text
    assert await rows_of(acme) == before


async def test_a_form_without_its_fields_changes_nothing_at_the_page_of_a_subscriber(
    acme: Cast, browsers: Browsers, mail_server: None
) -> None:
    await turn_on_billing(acme)
    made = await make_subscription(acme, email="ada@reader.test")
    await open_page(acme)
    reader = Reader(browsers(), acme)
    await reader.sign_in("ada@reader.test")
    before = await rows_of(acme)
    for path in with_fields(MY_PAGES):
        address = path.format(subdomain=acme.subdomain, id=made["id"])
        response = await reader.http.post(address, headers={"Sec-Fetch-Site": "same-origin"})
        assert response.status_code == 400, path
        assert "The form arrived empty, so nothing was changed." in response.text
    assert await rows_of(acme) == before
