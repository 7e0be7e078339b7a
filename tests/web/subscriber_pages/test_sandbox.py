"""Subscribers of a sandbox sign in with the links in its outbox, and its clock ends both."""

from dataclasses import replace
from datetime import date

import pytest

from masthead.model.self_service.sign_in import SESSION_VALID
from masthead.services.self_service.settings import switch_all
from masthead.store.engine.interface import Database
from tests.conftest import BY, Cast, Client
from tests.support.sandboxes import Sandbox, make_sandbox
from tests.support.subscriber_pages import LINK, Reader, sent_emails
from tests.support.walk import walk
from tests.web.conftest import Browsers

EMAIL = "karla.lind@reader.test"


@pytest.fixture
async def sandbox(client: Client, db: Database, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A sandbox with the page for its subscribers, on a server without a mail server."""
    monkeypatch.setattr("masthead.services.self_service.sign_in.SECONDS", 0)
    sandbox = await make_sandbox(client, db)
    url = f"https://masthead.test/my/{sandbox.account.subdomain}/"
    await switch_all(db, sandbox.account.id, is_on=True, page_url=url, by=BY)
    return sandbox


@pytest.fixture
async def karla(sandbox: Sandbox, acme: Cast, browsers: Browsers) -> Reader:
    """Someone at the page of the sandbox, who is not signed in."""
    id, subdomain = sandbox.account.id, sandbox.account.subdomain
    return Reader(browsers(), replace(acme, account_id=id, subdomain=subdomain))


async def newest_link(sandbox: Sandbox) -> str:
    """The path in the newest email of the outbox that has a link."""
    for email in await walk(sandbox, "/v1/sandbox/emails/", limit=200):
        if found := LINK.search(email["text"]):
            return found[1]
    raise AssertionError("no email has a link")


async def test_the_link_in_the_outbox_signs_in_once(sandbox: Sandbox, karla: Reader) -> None:
    for _ in range(5):  # nobody gets these emails, so an address is not throttled
        assert "an email is on its way" in (await karla.ask(EMAIL)).text
    assert await sent_emails(karla.cast) == []  # the control: nothing leaves the sandbox
    link = await newest_link(sandbox)
    assert (await karla.http.get(link)).status_code == 200
    assert (await karla.http.post(link)).status_code == 303
    page = await karla.text()
    assert "Karla Lind" in page
    assert (await karla.send("name", last_name="Lund")).status_code == 303
    assert "Karla Lund" in await karla.text()
    assert await sent_emails(karla.cast) == []
    karla.http.cookies.clear()
    assert (await karla.http.post(link)).status_code == 404


async def test_the_clock_ends_links_and_sessions(sandbox: Sandbox, karla: Reader) -> None:
    await karla.ask(EMAIL)
    late = await newest_link(sandbox)
    await sandbox.move(to=date(2026, 1, 2))  # longer than 15 minutes
    assert (await karla.http.get(late)).status_code == 404
    await karla.ask(EMAIL)
    assert (await karla.http.post(await newest_link(sandbox))).status_code == 303
    assert (await karla.send("email", email="karla@new.test")).status_code == 303
    confirmed = await newest_link(sandbox)
    assert (await karla.http.get(confirmed)).status_code == 200
    days = SESSION_VALID.days
    for day in (date(2026, 1, 20), date(2026, 1, 2 + days - 1)):
        await sandbox.move(to=day)
        assert "Karla Lind" in await karla.text()
    assert (await karla.http.get(confirmed)).status_code == 404  # it was for a day
    await sandbox.move(to=date(2026, 2, 1))
    assert "Send me the link" in await karla.text()


async def test_both_confirmations_of_an_email_are_in_the_outbox(
    sandbox: Sandbox, karla: Reader
) -> None:
    await karla.ask(EMAIL)
    await karla.http.post(await newest_link(sandbox))
    await karla.send("email", email="karla@new.test")
    emails = await walk(sandbox, "/v1/sandbox/emails/", limit=200)
    links = [found[1] for each in emails if (found := LINK.search(each["text"]))][:2]
    for link in links:
        assert (await karla.http.post(link)).status_code == 200
    emails = await walk(sandbox, "/v1/sandbox/emails/", limit=200)
    assert {emails[0]["recipient"], emails[1]["recipient"]} == {EMAIL, "karla@new.test"}
    assert emails[0]["created_at"][:10] == "2026-01-01"
    await karla.ask("karla@new.test")
    assert (await karla.http.post(await newest_link(sandbox))).status_code == 303
    assert "karla@new.test" in await karla.text()
