"""Links for users who forgot their password: who gets one, how often, and what it opens."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
import time_machine

from masthead.model.clock import now
from masthead.model.emails import Site
from masthead.model.errors import TooManyAttempts
from masthead.model.identity.login_throttling import LINKS_BY_NETWORK
from masthead.model.identity.sign_ins import Client
from masthead.model.types.enums import Role
from masthead.services import users
from masthead.services.emails import outbox as sending
from masthead.services.identity import forgotten_password, sign_in
from masthead.services.identity.forgotten_password import email_link
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from tests.conftest import BY, Cast
from tests.services.identity.people import HOME, enter, let_in, owner_of

SITE = Site("https://desk.acme.test", "placeholder.example")
NEW = "another harbour, at dusk"


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forgotten_password, "SECONDS", 0.0)


async def ask(cast: Cast, email: str, address: str = "") -> None:
    """Ask for a link, by default from a network of this account."""
    network = address or f"2001:db8:{cast.account_id:x}::1"
    await email_link(cast.db, email, client=Client(network), site=SITE)


async def emails_to(cast: Cast, recipient: str) -> list[QueuedEmail]:
    return [each for each in await outbox.list_due(cast.db, 100_000) if each.recipient == recipient]


async def token_in(cast: Cast, email: QueuedEmail) -> str:
    sent = await sending.begin_sending(cast.db, email, domain="acme.test")
    assert sent
    found = re.search(r"https://desk\.acme\.test/link/(\S+)/", sent.body)
    assert found
    return found[1]


async def test_a_user_who_is_no_owner_sets_a_new_password_with_the_link(acme: Cast) -> None:
    await owner_of(acme)
    bob = await let_in(acme, "bob")
    await ask(acme, bob.email.upper())
    [email] = await emails_to(acme, bob.email)
    assert email.subject == "Set a new password for Acme"
    await enter(acme, email=bob.email)  # the old password works until the link is used
    await sign_in.use_link(acme.db, await token_in(acme, email), NEW, client=Client(HOME))
    assert await enter(acme, NEW, email=bob.email)


async def test_only_users_of_an_account_get_an_email(acme: Cast) -> None:
    bob = await let_in(acme, "bob")
    await users.remove_user(acme.db, acme.account_id, bob.user_id, by=BY)
    before = len(await outbox.list_due(acme.db, 100_000))
    for email in (bob.email, "nobody@acme.test", "bob\0@acme.test", "no address"):
        await ask(acme, email)
    assert len(await outbox.list_due(acme.db, 100_000)) == before


async def test_a_second_request_sends_nothing_for_five_minutes(acme: Cast) -> None:
    bob = await let_in(acme, "bob")
    for _ in range(3):
        await ask(acme, bob.email)
    assert len(await emails_to(acme, bob.email)) == 1
    with time_machine.travel(now() + timedelta(minutes=6), tick=False):
        await ask(acme, bob.email)
        assert len(await emails_to(acme, bob.email)) == 2


async def test_a_network_has_a_limit_for_known_and_unknown_addresses(acme: Cast) -> None:
    for place in range(LINKS_BY_NETWORK.free):
        await ask(acme, f"guess{place}@acme.test", "198.51.100.77")
    with pytest.raises(TooManyAttempts):
        await ask(acme, "guess@acme.test", "198.51.100.77")
    bob = await let_in(acme, "bob")
    with pytest.raises(TooManyAttempts):
        await ask(acme, bob.email, "198.51.100.77")
    assert await emails_to(acme, bob.email) == []


async def test_the_link_ends_if_the_user_leaves_the_account(acme: Cast) -> None:
    owner, bob = await owner_of(acme), await let_in(acme, "bob", Role.STAFF)
    await ask(acme, bob.email)
    [email] = await emails_to(acme, bob.email)
    token = await token_in(acme, email)
    await users.remove_user(acme.db, acme.account_id, bob.user_id, by=owner.actor)
    assert await sign_in.find_link(acme.db, token) is None


async def test_the_answer_takes_as_long_for_an_unknown_address(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgotten_password, "SECONDS", 1000.0)
    waits = []

    async def sleep(seconds: float) -> None:
        waits.append(round(seconds, -2))

    monkeypatch.setattr(forgotten_password, "asyncio", SimpleNamespace(sleep=sleep))
    await ask(acme, "nobody@acme.test")
    await ask(acme, (await let_in(acme, "bob")).email)
    assert waits == [1000.0, 1000.0]
