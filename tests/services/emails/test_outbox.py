"""Emails with a one-time link: the link is created when the email is sent, and never stored."""

import re
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from masthead.model.emails import Site
from masthead.model.types.enums import Role
from masthead.services.emails import outbox as service
from masthead.services.identity.sign_in import find_link, use_link
from masthead.services.users import invite_user, remove_user, reset_user
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.identity import one_time_links
from masthead.store.users import find_user
from tests.conftest import BY, Cast

SITE = Site("https://desk.acme.test", "placeholder.example")
PASSWORD = "seventeen green umbrellas"
LINK = re.compile(r"https://desk\.acme\.test/link/([\w-]{43})/\n")


def fresh_email(cast: Cast) -> str:
    return f"cleo@{cast.subdomain}.test"


async def invite(cast: Cast) -> str:
    """The token of an invitation, as the page shows it."""
    invited = await invite_user(
        cast.db, cast.account_id, email=fresh_email(cast), role=Role.STAFF, by=BY, site=SITE
    )
    assert invited.token
    return invited.token


async def waiting(cast: Cast) -> list[QueuedEmail]:
    return [
        each
        for each in await outbox.list_due(cast.db, 100_000)
        if each.recipient == fresh_email(cast)
    ]


async def begin(cast: Cast, email: QueuedEmail) -> str | None:
    """The token in the email, or None if no email is sent."""
    sent = await service.begin_sending(cast.db, email, domain="acme.test")
    if sent is None:
        return None
    found = LINK.search(sent.body)
    assert found, sent.body
    return found[1]


async def retry(cast: Cast, email: QueuedEmail) -> None:
    await service.end_failed(cast.db, email, reason="451 later", delay=timedelta(0))


async def stored(cast: Cast) -> str:
    """All texts in the database about the account's emails and about links."""
    rows = await cast.db.fetch_all("SELECT * FROM outbox", {})
    links = await cast.db.fetch_all("SELECT * FROM sign_in_link", {})
    return repr([*rows, *links])


async def row_of(cast: Cast, id: str) -> dict[str, object]:
    row = await cast.db.fetch_one(
        "SELECT status, body, last_error FROM outbox WHERE account_id = :account_id AND id = :id",
        {"account_id": cast.account_id, "id": id},
    )
    assert row is not None
    return dict(row)


async def test_no_token_is_stored_while_an_email_waits_or_is_sent(acme: Cast) -> None:
    shown = await invite(acme)
    (email,) = await waiting(acme)
    assert shown not in await stored(acme)
    token = await begin(acme, email)
    assert token
    assert token != shown
    assert token not in await stored(acme)
    await service.end_sent(acme.db, email)
    assert (await row_of(acme, email.id))["body"] == ""


async def test_the_links_on_the_page_and_in_the_email_both_work_until_one_is_used(
    acme: Cast,
) -> None:
    shown = await invite(acme)
    (email,) = await waiting(acme)
    token = await begin(acme, email)
    assert token
    assert await find_link(acme.db, shown) == await find_link(acme.db, token) == fresh_email(acme)
    await use_link(acme.db, token, PASSWORD)
    assert await find_link(acme.db, shown) is None
    assert await find_link(acme.db, token) is None


async def test_the_link_of_an_email_that_may_have_arrived_works_after_the_next_attempt(
    acme: Cast,
) -> None:
    await invite(acme)
    (email,) = await waiting(acme)
    first = await begin(acme, email)
    await retry(acme, email)
    (email,) = await waiting(acme)
    second = await begin(acme, email)
    assert first
    assert second
    assert first != second
    assert await find_link(acme.db, first) == await find_link(acme.db, second)


async def test_the_link_in_the_email_expires_at_the_same_time_as_the_link_on_the_page(
    acme: Cast,
) -> None:
    await invite(acme)
    (email,) = await waiting(acme)
    begun = datetime.now(UTC)
    with time_machine.travel(begun + timedelta(days=6, hours=23)):
        token = await begin(acme, email)
        assert token
        assert await find_link(acme.db, token)
    with time_machine.travel(begun + timedelta(days=7, minutes=1)):
        assert await find_link(acme.db, token) is None


@pytest.mark.parametrize("over", ["used", "replaced", "removed", "too old"])
async def test_an_email_whose_link_is_no_longer_valid_is_not_sent(acme: Cast, over: str) -> None:
    shown = await invite(acme)
    (email,) = await waiting(acme)
    user = await find_user(acme.db, acme.account_id, fresh_email(acme))
    assert user
    moment = datetime.now(UTC)
    if over == "used":
        await use_link(acme.db, shown, PASSWORD)
    elif over == "replaced":
        await reset_user(acme.db, acme.account_id, user.id, by=BY)
    elif over == "removed":
        await remove_user(acme.db, acme.account_id, user.id, by=BY)
    else:
        moment += timedelta(days=8)
    with time_machine.travel(moment):
        assert await begin(acme, email) is None
    row = await row_of(acme, email.id)
    assert row == {"status": "cancelled", "body": "", "last_error": service.LINK_IS_OVER}
    assert await waiting(acme) == []


async def test_an_email_that_is_put_back_waits_and_counts_no_failed_attempt(acme: Cast) -> None:
    await invite(acme)
    (email,) = await waiting(acme)
    await begin(acme, email)
    assert await waiting(acme) == []
    await service.put_back(acme.db, email)
    (again,) = await waiting(acme)
    assert (again.id, again.attempts) == (email.id, 0)


async def test_an_email_is_not_sent_if_its_link_ends_while_the_link_is_copied(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    await invite(acme)
    (email,) = await waiting(acme)

    async def too_late(*_: object, **__: object) -> bool:
        return False

    monkeypatch.setattr(one_time_links, "copy_link", too_late)
    assert await begin(acme, email) is None
