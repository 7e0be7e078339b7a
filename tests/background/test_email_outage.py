"""Emails while the email server is away: none is lost, and the server is not asked for each."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from structlog.testing import capture_logs

from masthead.background import email_pauses, emails
from masthead.background.email_pauses import REFUSALS, RefusalPauses, ServerPause
from masthead.background.emails import EmailSender
from masthead.background.lease import HeldLease
from masthead.mail import Mailer, Phase, Progress, SendFailed
from masthead.model.identity.sign_ins import Client
from masthead.services.identity import forgotten_password
from masthead.services.identity.forgotten_password import email_link
from masthead.services.monitoring.state import find_problems, read_state
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from masthead.store.engine.interface import Transaction
from tests.conftest import Cast, make_account
from tests.services.identity.people import let_in, owner_of
from tests.support.own_service import SENDER, SITE, OwnService, open_own_service
from tests.support.ports import reserved_port
from tests.support.waiting import until

AWAY = SendFailed("connection refused", is_final=False, is_away=True)
LATER = SendFailed("451 later", is_final=False)
CLOSING = SendFailed("421 closing", is_final=False, is_general=True)


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service with an email server."""
    async with open_own_service(scratch_url) as opened:
        yield opened


async def queue(cast: Cast, *recipients: str) -> None:
    """Put emails into the outbox."""

    async def work(tx: Transaction) -> None:
        for recipient in recipients:
            await outbox.insert_email(
                tx,
                cast.account_id,
                recipient=f"{recipient}@example.test",
                subject="Hello",
                body="Hello",
                domain="acme.test",
            )

    await cast.db.write(work)


@asynccontextmanager
async def sender_of(own: OwnService, mailer: Mailer) -> AsyncIterator[EmailSender]:
    """The job that sends emails, without a pause at first, as after a restart."""
    lease = HeldLease(own.cast.db, "emails")
    assert await lease.renew()
    yield EmailSender(own.cast.db, lease, mailer=mailer, mail_from=SENDER)
    await lease.release()


@asynccontextmanager
async def counting_server(answer: bytes = b"") -> AsyncIterator[tuple[int, list[str]]]:
    """A server that greets with a refusal; its port, and its connections so far."""
    seen: list[str] = []

    async def refuse(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append("connection")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1], seen


@pytest.mark.parametrize("answer", [b"", b"421 too busy\r\n", b"554 go away\r\n"])
async def test_one_attempt_finds_that_the_server_is_away_and_the_others_wait(
    own: OwnService, monkeypatch: pytest.MonkeyPatch, answer: bytes
) -> None:
    monkeypatch.setattr(emails, "BATCH", 5)
    await queue(own.cast, *(f"a{number}" for number in range(12)))
    async with (
        counting_server(answer) as (port, seen),
        sender_of(own, own.mailbox.mailer(port=port)) as sender,
    ):
        with capture_logs() as logs:
            assert [await sender.run_once() for _ in range(30)] == [False] * 30
    assert len(seen) == 1
    assert [each["event"] for each in logs] == ["email server away: emails wait"]
    rows = await own.outbox()
    assert {(row["status"], row["attempts"]) for row in rows} == {("waiting", 0)}
    assert [row["last_error"] is not None for row in rows] == [True] + [False] * 11
    async with sender_of(own, own.mailbox.mailer()) as sender:
        while await sender.run_once():
            pass
    assert len(set(own.mailbox.ids)) == len(own.mailbox.ids) == 12


async def test_an_outage_of_a_week_loses_no_email(own: OwnService) -> None:
    await queue(own.cast, "ada")
    with reserved_port() as port:
        for _ in range(100):
            async with sender_of(own, own.mailbox.mailer(port=port)) as sender:
                await sender.run_once()
    async with sender_of(own, own.mailbox.mailer()) as sender:
        await sender.run_once()
    assert [each["To"] for each in own.mailbox.emails] == ["ada@example.test"]


async def test_a_host_with_a_typing_error_loses_no_email(own: OwnService) -> None:
    await queue(own.cast, "ada")
    async with sender_of(own, own.mailbox.mailer(host="mail..acme.test")) as sender:
        await sender.run_once()
    assert [row["status"] for row in await own.outbox()] == ["waiting"]


async def test_accounts_take_turns_at_a_server_that_closes_connections(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The emails of one account that break connections do not keep the other from its turn."""
    monkeypatch.setattr(email_pauses, "SHORT_PAUSE", 0.05)
    other = await make_account(own.cast.client, own.cast.db, "Other")
    await queue(own.cast, "a1", "a2", "a3")
    await queue(other, "b1")
    own.mailbox.answers["RCPT"] = "421 closing"
    tried = []
    async with sender_of(own, own.mailbox.mailer()) as sender:
        for _ in range(2):
            await sender.run_once()
            tried.append([row["recipient"] for row in await own.outbox() if row["attempts"]])
            await until(lambda: not sender.is_waiting())
    assert tried == [["a1@example.test"], ["a1@example.test", "b1@example.test"]]


async def run_all(sender: EmailSender) -> None:
    """Send until no email is due that may be tried."""
    while await sender.run_once():
        pass


@pytest.mark.parametrize("answer", ["451 later", "452 disk full"])
async def test_a_server_that_refuses_all_emails_for_now_does_not_get_each_of_them(
    own: OwnService, answer: str
) -> None:
    await queue(own.cast, *(f"a{number:02}" for number in range(40)))
    own.mailbox.answers["DATA"] = answer
    async with sender_of(own, own.mailbox.mailer()) as sender:
        with capture_logs() as logs:
            for _ in range(5):
                await run_all(sender)
    assert sum(row["attempts"] for row in await own.outbox()) == REFUSALS
    waits = [each for each in logs if each["event"].startswith("email server refuses emails")]
    assert [each["seconds"] for each in waits] == [60]
    own.mailbox.answers.clear()
    await own.execute("UPDATE outbox SET next_attempt_at = created_at")
    async with sender_of(own, own.mailbox.mailer()) as sender:
        await run_all(sender)
    assert len(set(own.mailbox.ids)) == len(own.mailbox.ids) == 40


async def test_other_accounts_and_emails_with_a_link_do_not_wait_for_refused_ones(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the emails of one account contain may be the reason."""
    monkeypatch.setattr(forgotten_password, "SECONDS", 0.0)
    other = await make_account(own.cast.client, own.cast.db, "Other")
    await queue(own.cast, *(f"a{number:02}" for number in range(40)))
    own.mailbox.answers["DATA"] = "451 later"
    async with sender_of(own, own.mailbox.mailer()) as sender:
        await run_all(sender)
        own.mailbox.answers.clear()
        await queue(other, "b")
        await owner_of(own.cast)
        bob = await let_in(own.cast, "bob")
        await email_link(own.cast.db, bob.email, client=Client("198.51.100.7"), site=SITE)
        await sender.run_once()
    assert {each["To"] for each in own.mailbox.emails} == {"b@example.test", bob.email}


async def test_recipients_that_are_greylisted_let_no_email_wait(own: OwnService) -> None:
    await queue(own.cast, *(f"a{number:02}" for number in range(40)))
    own.mailbox.answers["RCPT"] = "450 greylisted"
    async with sender_of(own, own.mailbox.mailer()) as sender:
        await run_all(sender)
        assert {row["attempts"] for row in await own.outbox()} == {1}
        own.mailbox.answers.clear()
        await own.execute("UPDATE outbox SET next_attempt_at = created_at")
        await run_all(sender)
    assert len(own.mailbox.emails) == 40


async def test_after_refusals_the_first_email_is_one_that_was_refused(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that greylists after the text takes that one, but no new one."""
    monkeypatch.setattr(email_pauses, "FIRST_PAUSE", 0.0)
    monkeypatch.setattr(emails, "BATCH", REFUSALS)
    await queue(own.cast, *(f"a{number:02}" for number in range(40)))
    own.mailbox.answers["DATA"] = "451 later"
    async with sender_of(own, own.mailbox.mailer()) as sender:
        await sender.run_once()
        own.mailbox.answers.clear()
        await own.execute(
            "UPDATE outbox SET next_attempt_at = :now WHERE recipient = 'a07@example.test'",
            now=datetime.now(UTC),
        )
        await sender.run_once()
    assert own.mailbox.emails[0]["To"] == "a07@example.test"


def refused(recipient: str, *, attempts: int = 0) -> QueuedEmail:
    """An email of account 1."""
    fields: dict[str, Any] = dict.fromkeys(QueuedEmail.__struct_fields__)
    fields |= {"account_id": 1, "recipient": recipient, "attempts": attempts}
    return QueuedEmail(**fields)


def test_an_account_whose_emails_are_refused_tries_one_less_and_less_often() -> None:
    pauses, progress = RefusalPauses(), Progress()
    progress.has_begun, progress.phase = True, Phase.TRANSFERRING
    waits = [pauses.record(refused(f"a{number}"), LATER, progress) for number in range(14)]
    assert waits == [0] * 9 + [60, 120, 240, 300, 300]
    assert 1 in pauses
    pauses.record(refused("b"), None, progress)
    waits = [pauses.record(refused(f"a{number}"), LATER, progress) for number in range(10)]
    assert waits == [0] * 9 + [60]


def test_only_refusals_of_different_recipients_by_the_server_count() -> None:
    pauses, progress = RefusalPauses(), Progress()
    for _ in range(20):  # one recipient
        assert not pauses.record(refused("a", attempts=1), LATER, progress)
    for number in range(20):  # a file that cannot be made: the server was not asked
        assert not pauses.record(refused(f"b{number}", attempts=1), LATER, progress)
    progress.has_begun = True
    for number in range(20):  # the first time, before the text: greylisted
        assert not pauses.record(refused(f"c{number}"), LATER, progress)
    waits = [pauses.record(refused(f"d{number}", attempts=1), LATER, progress) for number in "1234"]
    assert waits == [0] * 4


def test_a_server_that_is_away_is_tried_less_and_less_often() -> None:
    pause = ServerPause()
    assert [pause.begin(AWAY) for _ in range(5)] == [60, 120, 240, 300, 300]
    assert pause.is_on()
    assert [pause.begin(CLOSING) for _ in range(3)] == [10, 10, 10]
    pause.end()
    assert not pause.is_on()
    assert pause.begin(AWAY) == 60


async def test_a_link_that_expired_during_an_outage_is_not_sent(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a forgotten password; the other email of the same moment is sent."""
    monkeypatch.setattr(forgotten_password, "SECONDS", 0.0)
    await owner_of(own.cast)
    bob = await let_in(own.cast, "bob")
    await email_link(own.cast.db, bob.email, client=Client("198.51.100.7"), site=SITE)
    await queue(own.cast, "ada")
    with reserved_port() as port:
        async with sender_of(own, own.mailbox.mailer(port=port)) as sender:
            await sender.run_once()
    await own.execute(
        "UPDATE sign_in_link SET expires_at = :past", past=datetime.now(UTC) - timedelta(hours=1)
    )
    async with sender_of(own, own.mailbox.mailer()) as sender:
        await sender.run_once()
    assert [each["To"] for each in own.mailbox.emails] == ["ada@example.test"]
    assert [row["status"] for row in await own.outbox()] == ["cancelled", "sent"]


@pytest.mark.parametrize("answer", ["", "450 mailbox full"])
async def test_the_operator_learns_of_an_email_that_waits_long_before_it_is_given_up(
    own: OwnService, answer: str
) -> None:
    """Even if it is tried again meanwhile: the next attempt is always in the future."""
    await queue(own.cast, "ada")
    if answer:
        own.mailbox.answers["RCPT"] = answer
        async with sender_of(own, own.mailbox.mailer()) as sender:
            await sender.run_once()
    past = datetime.now(UTC) - timedelta(hours=2)
    if answer:
        await own.execute("UPDATE outbox SET created_at = :past", past=past)
    else:
        await own.execute(
            "UPDATE outbox SET created_at = :past, next_attempt_at = :past", past=past
        )
    state = await read_state(own.cast.db)
    assert state.emails_due_at == past
    problems = list(find_problems(state, datetime.now(UTC)))
    assert [each for each in problems if "Emails wait for more than an hour" in each]
