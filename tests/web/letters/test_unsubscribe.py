"""The page on which subscribers end renewal letters, without a session."""

import re
from typing import Any

import httpx
import pytest

from masthead.model.letters.unsubscribe import unsubscribe_token
from masthead.services.identity.server_secrets import get_secret
from tests.conftest import Cast
from tests.support.letters import add_subscribers, emails_of, execute, set_up, write
from tests.web.conftest import Browsers

LINK = re.compile(r"https://desk\.acme\.test(/unsubscribe/\w+/)")
ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture
def http(browsers: Browsers) -> httpx.AsyncClient:
    """A browser without cookies."""
    return browsers()


@pytest.fixture
async def link(acme: Cast) -> str:
    """The path of the link in a letter."""
    await set_up(acme)
    await add_subscribers(acme, 1)
    await write(acme)
    (email,) = await emails_of(acme)
    found = LINK.search(email["body"])
    assert found
    assert email["unsubscribe_url"] == found[0]
    return found[1]


async def subscriber(cast: Cast) -> dict[str, Any]:
    """The only subscriber."""
    rows = await cast.db.fetch_all(
        "SELECT * FROM subscriber WHERE account_id = :id", {"id": cast.account_id}
    )
    (row,) = rows
    return dict(row)


async def entries(cast: Cast) -> list[str]:
    """The audit entries about the subscriber."""
    rows = await cast.db.fetch_all(
        "SELECT action, actor_id FROM audit WHERE account_id = :id AND action LIKE 'subscriber%'"
        " ORDER BY id",
        {"id": cast.account_id},
    )
    return [f"{row['action']} by {row['actor_id']}" for row in rows]


async def test_opening_the_link_changes_nothing_and_shows_no_whole_address(
    acme: Cast, http: httpx.AsyncClient, link: str
) -> None:
    page = await http.get(link)
    assert page.status_code == 200
    assert "a…@example.test" in page.text
    assert "ada0@example.test" not in page.text
    assert "Unsubscribe" in page.text
    assert (await http.head(link)).status_code == 200
    assert (await subscriber(acme))["unsubscribed_at"] is None


async def test_the_button_unsubscribes_and_another_one_undoes_it(
    acme: Cast, http: httpx.AsyncClient, link: str
) -> None:
    for _ in range(2):
        page = await http.post(link, data={"do": "unsubscribe"})
        assert page.status_code == 200
        assert "gets no more letters" in page.text
    assert (await subscriber(acme))["unsubscribed_at"] is not None
    assert "gets no more letters" in (await http.get(link)).text
    page = await http.post(link, data={"do": "resubscribe"})
    assert "You get letters about renewals again." in page.text
    assert (await subscriber(acme))["unsubscribed_at"] is None
    assert await entries(acme) == [
        "subscriber.unsubscribe by unsubscribe link",
        "subscriber.resubscribe by unsubscribe link",
    ]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "https://mail.example"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    ],
)
async def test_email_programs_unsubscribe_by_one_click(
    acme: Cast, http: httpx.AsyncClient, link: str, headers: dict[str, str]
) -> None:
    answer = await http.post(link, data=ONE_CLICK, headers=headers)
    assert answer.status_code == 200
    assert "location" not in answer.headers
    assert (await subscriber(acme))["unsubscribed_at"] is not None


async def test_one_click_may_be_a_form_with_several_parts(
    acme: Cast, http: httpx.AsyncClient, link: str
) -> None:
    answer = await http.post(link, files={"List-Unsubscribe": (None, "One-Click")})
    assert answer.status_code == 200
    assert (await subscriber(acme))["unsubscribed_at"] is not None


async def test_a_changed_link_is_not_found(
    acme: Cast, http: httpx.AsyncClient, link: str, rival: Cast
) -> None:
    other = link[:-2] + ("0" if link[-2] != "0" else "1") + "/"
    for wrong in (other, "/unsubscribe/x/", "/unsubscribe/é/", link[:-10] + "/"):
        assert (await http.get(wrong)).status_code == 404
        assert (await http.post(wrong, data=ONE_CLICK)).status_code == 404
    assert (await subscriber(acme))["unsubscribed_at"] is None


async def test_the_link_of_a_test_letter_and_of_an_unknown_subscriber_is_not_found(
    acme: Cast, http: httpx.AsyncClient
) -> None:
    secret = await get_secret(acme.db)
    for id in ("0" * 31, f"{acme.account_id:05}" + "0" * 26):
        path = f"/unsubscribe/{unsubscribe_token(secret, id)}/"
        assert (await http.get(path)).status_code == 404


async def test_the_link_of_a_merged_subscriber_leads_to_the_one_that_was_kept(
    acme: Cast, http: httpx.AsyncClient, link: str
) -> None:
    merged = (await subscriber(acme))["id"]
    await add_subscribers(acme, 1, email="kept@example.test")
    await execute(
        acme,
        "UPDATE subscriber SET merged_into = (SELECT k.id FROM subscriber k WHERE k.account_id ="
        " :account_id AND k.email = 'kept@example.test') WHERE account_id = :account_id"
        " AND id = :id",
        id=merged,
    )
    page = await http.post(link, data=ONE_CLICK)
    assert "k…@example.test" in page.text
    row = await acme.db.fetch_one(
        "SELECT unsubscribed_at FROM subscriber WHERE account_id = :id AND email LIKE 'kept%'",
        {"id": acme.account_id},
    )
    assert row
    assert row["unsubscribed_at"] is not None


async def test_the_page_works_in_an_account_that_is_inactive(
    acme: Cast, http: httpx.AsyncClient, link: str
) -> None:
    await execute(acme, "UPDATE account SET is_active = false WHERE id = :account_id")
    assert (await http.post(link, data=ONE_CLICK)).status_code == 200


async def test_other_forms_still_refuse_other_sites(http: httpx.AsyncClient) -> None:
    answer = await http.post("/sign-in/", data={}, headers={"Origin": "https://mail.example"})
    assert answer.status_code == 403
