"""A subscriber of Acme, whose page is open."""

import itertools

import httpx
import pytest

from tests.conftest import Cast
from tests.support.factories import make_issues, make_subscription
from tests.support.subscriber_pages import Reader, open_page
from tests.web.conftest import Browsers

_networks = itertools.count(1)  # one for each browser: requests are counted by network
EMAIL = "ada@reader.test"
HOME = {
    "address1": "Lindenstr. 4",
    "postcode": "10969",
    "city": "Berlin",
    "country": "DE",
}


@pytest.fixture
def browsers(browsers: Browsers) -> Browsers:
    """A factory of browsers, each in a network of its own."""

    def make() -> httpx.AsyncClient:
        http = browsers()
        http.headers["X-Forwarded-For"] = f"2001:db8:0:{next(_networks):x}::1"
        return http

    return make


@pytest.fixture
async def stranger(
    acme: Cast, browsers: Browsers, mail_server: None, monkeypatch: pytest.MonkeyPatch
) -> Reader:
    """Someone at Acme's page, who is not signed in; Ada Lovelace is a subscriber."""
    monkeypatch.setattr("masthead.services.self_service.sign_in.SECONDS", 0)
    await make_issues(acme, 1, 2)
    await make_subscription(
        acme, first_name="Ada", last_name="Lovelace", email=EMAIL, length=4, **HOME
    )
    await open_page(acme)
    return Reader(browsers(), acme)


@pytest.fixture
async def reader(stranger: Reader) -> Reader:
    """Ada, signed in."""
    await stranger.sign_in(EMAIL)
    return stranger
