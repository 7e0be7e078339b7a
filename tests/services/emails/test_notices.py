"""Emails that tell users about changes to their sign-in and their API keys."""

import re
from typing import Any

import pytest

from masthead.model.emails import Site
from masthead.model.identity.login_throttling import ATTACK
from masthead.model.identity.sign_ins import Client
from masthead.model.types.enums import Scope
from masthead.services import accounts, keys
from masthead.services.emails.notices import NEW_KEY, notify
from masthead.services.identity import sessions, sign_in
from masthead.store.engine.interface import Transaction
from tests.conftest import BY, Cast
from tests.services.identity.people import PASSWORD, enter, fail, owner_of
from tests.services.test_accounts import trail

SITE = Site("https://desk.acme.test", "acme.test")
LAPTOP = Client("192.0.2.7", "Firefox on Linux")
OTHER = "another harbour, at dusk"


async def emails_of(cast: Cast) -> list[dict[str, Any]]:
    """The emails in the outbox of the account."""
    rows = await cast.db.fetch_all(
        """
        SELECT recipient, subject, body, created_at
        FROM outbox
        WHERE account_id = :id
        ORDER BY created_at
        """,
        {"id": cast.account_id},
    )
    return [dict(row) for row in rows]


async def sign_in_from(cast: Cast, client: Client) -> str:
    """Sign the owner in, and return the new token of the browser."""
    verified = await sign_in.sign_in(
        cast.db, email=cast.owner, password=PASSWORD, client=client, site=SITE
    )
    session = await sessions.begin_session(cast.db, verified, client, site=SITE)
    return session.device


async def test_a_sign_in_from_a_new_browser_sends_an_email_and_one_from_a_known_browser_does_not(
    acme: Cast,
) -> None:
    await owner_of(acme)
    await accounts.update_account(acme.db, acme.account_id, time_zone="Asia/Kathmandu", by=BY)
    device = await sign_in_from(acme, LAPTOP)
    (email,) = await emails_of(acme)
    assert (email["recipient"], email["subject"]) == (acme.owner, "New sign-in to masthead")
    for word in (
        "Firefox on Linux",
        "192.0.2.7",
        "https://desk.acme.test/you/",
        "(Asia/Kathmandu)",
    ):
        assert word in email["body"]
    assert "{" not in email["body"]
    [minutes] = re.findall(r"Time: .* [0-9]+:([0-9]+):", email["body"])
    behind = (email["created_at"].minute + 45 - int(minutes)) % 60  # UTC+05:45
    assert behind < 10
    await sign_in_from(acme, Client("192.0.2.7", "Firefox on Linux", device))
    assert len(await emails_of(acme)) == 1
    await sign_in_from(acme, Client())
    assert "Browser: unknown\nNetwork: unknown\n" in (await emails_of(acme))[1]["body"]


async def test_without_an_email_server_no_notice_is_stored(acme: Cast) -> None:
    await owner_of(acme)
    assert await enter(acme)
    assert await emails_of(acme) == []


async def test_a_changed_password_sends_an_email_and_the_first_one_does_not(acme: Cast) -> None:
    async def use_link(password: str) -> None:
        link = await sign_in.create_link(acme.db, acme.owner, by=BY)
        await sign_in.use_link(acme.db, link, password, client=LAPTOP, site=SITE)

    await use_link(PASSWORD)
    assert await emails_of(acme) == []
    await use_link(OTHER)
    user = await owner_of(acme)
    await sign_in.change_password(
        acme.db, user, current=PASSWORD, new=OTHER, client=LAPTOP, site=SITE
    )
    notices = await emails_of(acme)
    assert [each["subject"] for each in notices] == ["Your password for masthead was changed"] * 2
    assert all("192.0.2.7" in each["body"] for each in notices)
    assert not any(OTHER in each["body"] or PASSWORD in each["body"] for each in notices)


async def test_a_new_key_sends_an_email_to_its_user(acme: Cast) -> None:
    id, key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_WRITE,
        name="Web shop",
        by=BY,
        site=SITE,
    )
    _, rolled = await keys.roll_key(
        acme.db, acme.account_id, id, overlap=sign_in.RESET_VALID, by=BY, site=SITE
    )
    notices = await emails_of(acme)
    assert [each["subject"] for each in notices] == ["New API key for masthead"] * 2
    assert all("Web shop" in each["body"] for each in notices)
    assert key[:12] in notices[0]["body"]
    assert key not in notices[0]["body"]
    assert rolled not in notices[1]["body"]


async def test_many_failed_sign_ins_send_one_email(acme: Cast) -> None:
    owner = await owner_of(acme)
    for number in range(ATTACK + 3):
        client = Client(f"2001:db8:77:{number:x}::1")
        with pytest.raises(Exception, match="do not match"):
            await sign_in.sign_in(
                acme.db, email=acme.owner, password="wrong", client=client, site=SITE
            )
    (email,) = await emails_of(acme)
    assert email["subject"] == "Many failed sign-ins to masthead"
    entries = await trail(acme, "user", owner.user_id)
    assert [(by, after) for by, action, _, after in entries if action == "user.attack"] == [
        ("command:sign-in", {"failed_sign_ins": ATTACK})
    ]


async def test_failed_sign_ins_with_an_unknown_address_send_no_email(acme: Cast) -> None:
    for number in range(ATTACK + 1):
        await fail(acme, f"2001:db8:78:{number:x}::1", email=f"ghost@{acme.subdomain}.test")
    assert await emails_of(acme) == []


async def test_a_user_without_an_account_gets_no_email(acme: Cast) -> None:
    owner = await owner_of(acme)

    async def work(tx: Transaction) -> None:
        await tx.execute("DELETE FROM account_user WHERE account_id = :id", {"id": acme.account_id})
        await notify(tx, owner.user_id, NEW_KEY, SITE)

    await acme.db.write(work)
    assert await emails_of(acme) == []
