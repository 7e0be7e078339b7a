"""The page for users who forgot their password, and the name of a user."""

import httpx

from masthead.settings import Settings
from tests.conftest import Cast, make_account, serving
from tests.support.factories import make_issue
from tests.web.conftest import Browsers, Person

ADDRESS = "/sign-in/forgotten-password/"


async def test_without_an_email_server_the_page_says_whom_to_ask(browsers: Browsers) -> None:
    browser = browsers()
    assert ADDRESS in (await browser.get("/sign-in/")).text
    page = (await browser.get(ADDRESS)).text
    assert "This server sends no emails." in page
    assert "<form" not in page[page.index("<main") :]
    sent = await browser.post(ADDRESS, data={"email": "ann@acme.test"})
    assert "This server sends no emails." in sent.text


async def test_the_answer_does_not_tell_who_is_a_user(scratch_url: str) -> None:
    settings = Settings(
        database_url=scratch_url,
        public_url="https://masthead.test",
        smtp_host="mail.acme.test",
        mail_from="hello@acme.test",
    )
    async with (
        serving(settings) as (app, client),
        httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="https://masthead.test"
        ) as http,
    ):
        cast = await make_account(client, app.state.db, "Acme")
        answers = []
        for email in (cast.owner, "nobody@acme.test"):
            sent = await http.post(ADDRESS, data={"email": email})
            assert (sent.status_code, sent.headers["Location"]) == (303, "/sign-in/")
            page = (await http.get("/sign-in/")).text
            assert f"If {email} can sign in here" in page
            answers.append(page.replace(email, ""))
        assert answers[0] == answers[1]
        empty = await http.post(ADDRESS, data={"email": " "})
        assert (empty.status_code, "Type your email address." in empty.text) == (400, True)
        rows = await cast.db.fetch_all("SELECT recipient FROM outbox", {})
    assert [row["recipient"] for row in rows] == [cast.owner]


async def test_a_name_takes_the_place_of_the_email_address(acme: Cast, owner: Person) -> None:
    saved = await owner.http.post("/you/name/", data={"full_name": "  Ann\tByron "})
    assert saved.headers["Location"] == "/you/"
    assert 'value="Ann Byron"' in (await owner.http.get("/you/")).text
    await owner.post(owner.address("issues", "new"), {"number": "1", "name": "One"})
    assert "<bdi>Ann Byron</bdi>" in await owner.text("settings", "users")
    assert "Ann Byron" in await owner.text("settings", "log")
    await owner.http.post("/you/name/", data={"full_name": ""})
    await make_issue(acme, 2)
    assert "Ann Byron" not in await owner.text("settings", "log")


async def test_a_name_that_is_too_long_is_refused(owner: Person) -> None:
    refused = await owner.http.post("/you/name/", data={"full_name": "x" * 256})
    assert refused.status_code == 400
    assert "at most 255" in refused.text
