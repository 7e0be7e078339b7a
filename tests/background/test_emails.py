"""Emails when the email server, the database or masthead itself fails during sending."""

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import partial
from typing import Any

import pytest
from structlog.testing import capture_logs

from masthead import mail
from masthead.background import emails, worker
from masthead.background.worker import Background
from masthead.mail import Mailer, Phase, Progress
from masthead.model.emails import Site
from masthead.model.errors import Unavailable
from masthead.services import pdf_process
from masthead.services.billing.emails import email_invoice
from masthead.services.billing.letterhead import NewLetterhead, set_letterhead
from masthead.services.check.accounts import check
from masthead.services.check.clock import find_clock_faults
from masthead.services.child_process import run_in_child
from masthead.services.emails.outbox import begin_sending
from masthead.store.background import outbox
from tests.conftest import BY, make_account
from tests.services.billing.files.test_archival_pdf import attached_xml
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import make_membership
from tests.support.own_service import OwnService, open_own_service
from tests.support.ports import reserved_port
from tests.support.read_model import list_outdated
from tests.support.waiting import PATIENCE


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service, and an email server."""
    async with open_own_service(scratch_url) as opened:
        yield opened


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check for work without pauses."""
    monkeypatch.setattr(worker, "TICK_SECONDS", 0.01)


async def until(condition: Callable[[], Awaitable[bool]]) -> None:
    """Wait until a condition holds."""
    for _ in range(int(PATIENCE / 0.01)):
        if await condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the condition never held")


@asynccontextmanager
async def running(background: Background) -> AsyncIterator[asyncio.Task[None]]:
    """Run a worker during the block, and stop it."""
    task = asyncio.create_task(background.run())
    try:
        yield task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def only(own: OwnService) -> dict[str, Any]:
    """The only email in the outbox."""
    (row,) = await own.outbox()
    return row


async def has_status(own: OwnService, status: str) -> bool:
    """Whether the only email has that status."""
    return bool((await only(own))["status"] == status)


async def make_due(own: OwnService) -> None:
    """Make all emails due."""
    await own.execute("UPDATE outbox SET next_attempt_at = :now", now=datetime.now(UTC))


async def assert_sound(own: OwnService) -> None:
    """The faults that `masthead check` finds."""
    db = own.cast.db
    assert [fault async for fault in check(db)] == []
    assert [fault async for fault in find_clock_faults(db)] == []


# --- the final dot --------------------------------------------------------------------------------


def test_the_final_dot_has_ten_minutes() -> None:
    assert mail.DATA_SECONDS >= 600
    assert mail.COMMAND_SECONDS >= 300


@pytest.mark.slow
async def test_masthead_waits_for_a_late_response_to_the_final_dot(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Longer than any other answer may take, and than the lease lasts without renewal."""
    monkeypatch.setattr(mail, "COMMAND_SECONDS", 1.5)  # enough for a busy machine
    monkeypatch.setattr(mail, "CONNECT_SECONDS", 10.0)
    own.mailbox.on_data = lambda: asyncio.sleep(2.5)
    await own.welcome()
    async with running(own.background()):
        await until(lambda: has_status(own, "sent"))
    assert len(own.mailbox.emails) == 1
    await assert_sound(own)


async def test_without_a_response_in_time_the_email_is_sent_again_with_the_same_id(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    own.mailbox.on_data = lambda: asyncio.sleep(0.6)
    await own.welcome()
    with capture_logs() as logs, monkeypatch.context() as brief:
        brief.setattr(mail, "DATA_SECONDS", 0.2)
        await own.background().work_once()
    (entry,) = [entry for entry in logs if entry["event"] == "email put off"]
    assert entry["may_have_arrived"] is True
    row = await only(own)
    assert (row["status"], row["attempts"]) == ("waiting", 1)
    own.mailbox.on_data = None
    await make_due(own)
    await own.background().work_once()
    assert [row["status"] for row in await own.outbox()] == ["waiting"]  # another has it
    await own.execute("DELETE FROM lease")
    await own.background().work_once()
    assert own.mailbox.ids == [row["message_id"]] * 2
    assert (await only(own))["status"] == "sent"


async def test_the_message_id_has_the_domain_of_the_sender_and_does_not_change_with_it(
    own: OwnService,
) -> None:
    await own.welcome()
    own.mailbox.answers["DATA"] = "451 later"
    first = own.background()
    await first.work_once()
    row = await only(own)
    assert row["message_id"] == f"<{row['id'].lower()}@acme.test>"
    own.mailbox.answers.clear()
    await make_due(own)
    await own.execute("DELETE FROM lease")
    await own.background(sender="Acme <hello@other.test>").work_once()
    assert own.mailbox.ids == [row["message_id"]]


@pytest.mark.parametrize(
    "sender, domain",
    [
        ("Acme <hello@acme.test>", "acme.test"),
        ("hello@bücher.test", "xn--bcher-kva.test"),
        ("hello@a..test", "a..test"),
    ],
)
def test_the_domain_of_a_sender_is_extracted(sender: str, domain: str) -> None:
    assert mail.domain_of(sender) == domain


# --- the email server -----------------------------------------------------------------------------


@pytest.mark.parametrize("greeting", [b"", b"220 hello\r\n"])
async def test_a_disconnecting_email_server_is_retried(own: OwnService, greeting: bytes) -> None:
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        if greeting:
            await reader.readline()
        writer.close()

    await own.welcome()
    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        await own.background(own.mailbox.mailer(port=port)).work_once()
    row = await only(own)
    assert (row["status"], row["attempts"]) == ("waiting", 0)
    assert row["last_error"]
    await assert_sound(own)


async def test_an_email_that_cannot_be_composed_keeps_no_other_from_being_sent(
    own: OwnService,
) -> None:
    await own.welcome("eve@example.test")
    await own.welcome("ada@example.test")
    await own.execute(
        "UPDATE outbox SET recipient = :text WHERE recipient = 'eve@example.test'",
        text="eve\x1b@example.test",
    )
    with capture_logs() as logs:
        await own.background().work_once()
    assert [email["To"] for email in own.mailbox.emails] == ["ada@example.test"]
    assert [row["status"] for row in await own.outbox()] == ["failed", "sent"]
    assert "email cannot be composed" in [each["event"] for each in logs]
    assert "background work failed" not in [each["event"] for each in logs]


async def test_an_error_that_nobody_expected_is_retried(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_mailer: Mailer, _message: EmailMessage, progress: Progress) -> None:
        progress.phase = Phase.TRANSFERRING
        raise KeyError("response")

    await own.welcome()
    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(Mailer, "send", fail)
        await own.background().work_once()
    assert "email not sent" in [each["event"] for each in logs]
    row = await only(own)
    assert (row["status"], row["attempts"]) == ("waiting", 1)


async def test_an_email_server_that_is_down_is_retried_until_it_is_up(own: OwnService) -> None:
    await own.welcome()
    with reserved_port() as port:
        await own.background(own.mailbox.mailer(port=port)).work_once()
    row = await only(own)
    assert (row["status"], row["attempts"]) == ("waiting", 0)
    await own.execute("DELETE FROM lease")
    await own.background().work_once()
    assert own.mailbox.ids == [row["message_id"]]
    await assert_sound(own)


async def test_an_email_server_that_does_not_respond_times_out(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mail, "CONNECT_SECONDS", 0.2)
    await own.welcome()
    async with silent_server() as port:
        with capture_logs() as logs:
            await own.background(own.mailbox.mailer(port=port)).work_once()
    assert [entry for entry in logs if entry["event"] == "email server away: emails wait"]
    assert (await only(own))["status"] == "waiting"


@asynccontextmanager
async def silent_server() -> AsyncIterator[int]:
    """A server that accepts connections and never answers; its port."""
    gone = asyncio.Event()

    async def listen(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):
            await gone.wait()
        writer.close()

    async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        gone.set()


async def test_a_connection_that_is_cut_before_the_response_leaves_the_outcome_unknown(
    own: OwnService,
) -> None:
    await own.welcome()
    own.mailbox.cuts_after_data = True
    with capture_logs() as logs:
        await own.background().work_once()
    (entry,) = [entry for entry in logs if entry["event"] == "email put off"]
    assert entry["may_have_arrived"] is True
    own.mailbox.cuts_after_data = False
    await own.execute("DELETE FROM lease")
    await make_due(own)
    await own.background().work_once()
    row = await only(own)
    assert row["status"] == "sent"
    assert own.mailbox.ids == [row["message_id"]] * 2
    await assert_sound(own)


@pytest.mark.parametrize("quit_answer", ["500 what?", ""])
async def test_an_accepted_email_is_not_sent_again_if_the_quit_command_fails(
    own: OwnService, quit_answer: str
) -> None:
    await own.welcome()
    own.mailbox.answers["QUIT"] = quit_answer
    worker = own.background()
    await worker.work_once()
    await worker.work_once()
    assert len(own.mailbox.emails) == 1
    assert (await only(own))["status"] == "sent"


async def test_an_email_server_that_hangs_does_not_delay_other_background_work(
    own: OwnService,
) -> None:
    await own.welcome()
    member = await make_membership(own.cast)
    await own.execute("UPDATE period SET period_end = '2020-12-31' WHERE period_end IS NOT NULL")
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    await own.execute("UPDATE account_state SET daily_date = :day", day=yesterday)
    async with (
        silent_server() as port,
        running(own.background(own.mailbox.mailer(port=port))),
    ):

        async def is_done() -> bool:
            shown = (await own.cast.get(f"/v1/subscriptions/{member['id']}/")).json()
            return shown["status"] == "Complete" and not await list_outdated(own.cast)

        await until(is_done)
        assert await has_status(own, "sending")


async def test_the_lease_is_renewed_while_an_email_is_sent(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "RENEW_SECONDS", 0.01)
    await own.welcome()

    async def ends() -> int:
        row = await own.cast.db.fetch_one("SELECT until_tick FROM lease", {})
        return row["until_tick"] if row else 0

    async with (
        silent_server() as port,
        running(own.background(own.mailbox.mailer(port=port))),
    ):
        await until(lambda: has_status(own, "sending"))
        first = await ends()

        async def is_renewed() -> bool:
            return await ends() > first

        await until(is_renewed)


# --- masthead stops -------------------------------------------------------------------------------


async def test_a_stop_waits_for_the_current_email_and_logs_it(own: OwnService) -> None:
    await own.welcome("ada@example.test")
    await own.welcome("bob@example.test")
    arrived, answer = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        arrived.set()
        await answer.wait()

    own.mailbox.on_data = hold
    task = asyncio.create_task(own.background().run())
    await arrived.wait()
    with capture_logs() as logs:
        task.cancel()
        await until(lambda: _is(any("waiting for the email" in each["event"] for each in logs)))
        answer.set()
        with suppress(asyncio.CancelledError):
            await task
    assert [row["status"] for row in await own.outbox()] == ["sent", "waiting"]
    assert len(own.mailbox.emails) == 1


async def _is(fact: bool) -> bool:
    return fact


async def test_a_stop_does_not_wait_forever_and_the_next_start_sends_the_email_again(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emails, "STOP_SECONDS", 0.1)
    await own.welcome()
    arrived, answer = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        arrived.set()
        await answer.wait()

    own.mailbox.on_data = hold
    task = asyncio.create_task(own.background().run())
    await arrived.wait()
    with capture_logs() as logs:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
    assert "email outcome unknown" in logs[-1]["event"]
    assert (await only(own))["status"] == "sending"
    answer.set()
    own.mailbox.on_data = None
    with capture_logs() as logs:
        await own.background().work_once()
    assert [each["may_have_arrived"] for each in logs if "email" in each["event"]] == [True]
    row = await only(own)
    assert (row["status"], row["attempts"]) == ("waiting", 1)
    assert row["last_error"] == emails.UNKNOWN
    assert row["next_attempt_at"] > datetime.now(UTC) + timedelta(seconds=30)
    await own.execute("DELETE FROM lease")
    await make_due(own)
    await own.background().work_once()
    assert own.mailbox.ids == [row["message_id"]] * 2
    assert (await only(own))["status"] == "sent"
    await assert_sound(own)


async def test_a_stop_puts_back_an_email_that_was_not_transferred(own: OwnService) -> None:
    await own.welcome()
    async with silent_server() as port:
        async with running(own.background(own.mailbox.mailer(port=port))):
            await until(lambda: has_status(own, "sending"))
        row = await only(own)
    assert (row["status"], row["attempts"]) == ("waiting", 0)
    await own.background().work_once()
    assert own.mailbox.ids == [row["message_id"]]


async def test_an_email_that_another_process_is_sending_is_not_sent(own: OwnService) -> None:
    await own.welcome()
    async with own.cast.db.read() as connection:
        (email,) = await outbox.list_due(connection, 10)
    assert await begin_sending(own.cast.db, email, domain="acme.test")
    assert await begin_sending(own.cast.db, email, domain="acme.test") is None


async def test_links_come_first_and_accounts_take_turns(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link to sign in is of no use after an hour of 20,000 invoices."""
    monkeypatch.setattr(emails, "BATCH", 2)
    other = await make_account(own.cast.client, own.cast.db, "Other")
    for cast, recipient, is_secret in (
        *((own.cast, f"a{number}", False) for number in range(5)),
        (other, "b", False),
        (own.cast, "link", True),
    ):
        insert = partial(
            outbox.insert_email,
            account_id=cast.account_id,
            recipient=f"{recipient}@example.test",
            subject="Hello",
            body="Hello",
            domain="acme.test",
            is_secret=is_secret,
        )
        await cast.db.write(insert)
    background = own.background()
    for _ in range(4):  # rounds of at most two emails without a link
        await background.work_once()
    sent = [str(each["To"]).partition("@")[0] for each in own.mailbox.emails]
    assert sent == ["link", "a0", "a1", "b", "a2", "a3", "a4"]
    await assert_sound(own)


async def test_a_round_for_one_account_takes_two_queries(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One for emails with a link, one for the others."""
    await own.welcome()
    asked = []
    list_due = outbox.list_due

    async def noted(*arguments: Any, **options: Any) -> Any:
        asked.append(options)
        return await list_due(*arguments, **options)

    monkeypatch.setattr(outbox, "list_due", noted)
    background = own.background()
    await background.work_once()
    assert len(asked) == 2
    await background.work_once()
    assert len(asked) == 4
    assert len(own.mailbox.emails) == 1


class Failing:
    """A database that refuses writes while it is unavailable."""

    def __init__(self, db: Any) -> None:
        self._db, self.is_out = db, False

    async def write(self, work: Any, **options: Any) -> Any:
        """Write, unless the database is unavailable."""
        if self.is_out:
            raise Unavailable
        return await self._db.write(work, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


async def test_an_outcome_that_the_database_refuses_is_recorded_later(own: OwnService) -> None:
    await own.welcome()
    db = Failing(own.cast.db)
    background = own.background(db=db)

    async def go_out() -> None:
        db.is_out = True

    own.mailbox.on_data = go_out
    assert await background._lease.renew()
    await background._emails.run_once()
    assert (await only(own))["status"] == "sending"
    db.is_out = False
    await background.work_once()
    assert (await only(own))["status"] == "sent"
    assert len(own.mailbox.emails) == 1


async def test_an_outcome_that_is_not_recorded_at_the_end_is_logged(own: OwnService) -> None:
    await own.welcome()
    db = Failing(own.cast.db)
    arrived, answer = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        arrived.set()
        await answer.wait()

    own.mailbox.on_data = hold
    task = asyncio.create_task(own.background(db=db).run())
    await arrived.wait()
    db.is_out = True
    with capture_logs() as logs:
        task.cancel()
        await until(lambda: _is(any("waiting for the email" in each["event"] for each in logs)))
        answer.set()
        with suppress(asyncio.CancelledError):
            await task
    assert "email outcome not written down" in [each["event"] for each in logs]
    assert (await only(own))["status"] == "sending"


class Deaf(Mailer):
    """Ignores a cancellation while it connects, as some libraries do."""

    def __init__(self) -> None:
        self.sending = asyncio.Event()

    async def send(self, message: EmailMessage, progress: Progress | None = None) -> None:
        """Ignore the first cancellation."""
        self.sending.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(60)


async def test_an_email_that_ignores_the_stop_is_recorded(own: OwnService) -> None:
    await own.welcome()
    mailer = Deaf()
    async with running(own.background(mailer)):
        await mailer.sending.wait()
    assert (await only(own))["status"] == "sent"


# --- invoices -------------------------------------------------------------------------------------


async def test_the_file_of_an_invoice_is_made_when_its_email_is_sent(own: OwnService) -> None:
    await turn_on_billing(own.cast, has_issue=True)
    invoice = await bill_one(own.cast, email="payer@example.org")
    await email_invoice(
        own.cast.db,
        own.cast.account_id,
        invoice.id,
        recipient="office@example.org",
        site=Site("https://desk.test", "desk.test"),
        by=BY,
    )
    async with running(own.background()):
        await until(lambda: has_status(own, "sent"))
    (email,) = own.mailbox.emails
    (attached,) = email.iter_attachments()
    assert attached.get_filename() == f"{invoice.document.number}.pdf"
    assert attached.get_content_type() == "application/pdf"
    assert b"<ram:ID>" in attached_xml(attached.get_content())
    await assert_sound(own)


class Processes:
    """Starts the processes that write files, and counts them. kills_first: whether it is killed."""

    def __init__(self) -> None:
        self.count, self.kills_first = 0, False

    async def run(self, work: Callable[..., Any], *args: object, account_id: int) -> Any:
        """Run a function in a process, as in a server."""
        self.count += 1
        if self.kills_first and self.count == 1:
            await run_in_child(signal.raise_signal, signal.SIGKILL, account_id=account_id)
        return await run_in_child(work, *args, account_id=account_id)


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Processes:
    """The processes that write files."""
    processes = Processes()
    monkeypatch.setattr(pdf_process, "run_in_child", processes.run)
    return processes


async def queue_invoices(own: OwnService, *names: str) -> list[str]:
    """Bill orders and queue the emails of their invoices; returns the numbers of these."""
    site, numbers = Site("https://desk.test", "desk.test"), list[str]()
    for name in names:
        address = f"{name}@example.org"
        invoice = await bill_one(own.cast, order_id=name, email=address)
        account = own.cast.account_id
        await email_invoice(own.cast.db, account, invoice.id, recipient=address, site=site, by=BY)
        numbers.append(invoice.document.number)
    return numbers


async def send_all(own: OwnService) -> None:
    """Send all emails; the lease is renewed meanwhile, as processes can be slow."""

    async def are_done() -> bool:
        return {row["status"] for row in await own.outbox()} <= {"sent", "failed"}

    async with running(own.background()):
        await until(are_done)


async def test_one_process_writes_the_files_of_a_batch(
    own: OwnService, processes: Processes
) -> None:
    """Each email gets its own file, even if one invoice goes to two people."""
    await turn_on_billing(own.cast, has_issue=True)
    numbers = await queue_invoices(own, "ada", "bob", "cem")
    await own.welcome()
    await send_all(own)
    assert [row["status"] for row in await own.outbox()] == ["sent"] * 4
    files = {
        str(email["To"]): file.get_filename()
        for email in own.mailbox.emails
        for file in email.iter_attachments()
    }
    people = [f"{name}@example.org" for name in ("ada", "bob", "cem")]
    assert files == dict(zip(people, [f"{number}.pdf" for number in numbers], strict=True))
    assert processes.count == 1
    await assert_sound(own)


async def test_a_file_that_cannot_be_written_stops_no_other_of_its_batch(
    own: OwnService, processes: Processes
) -> None:
    await turn_on_billing(own.cast, has_issue=True)
    await queue_invoices(own, "ada")
    damaged = NewLetterhead("image/png", 400, 100, b"no picture")
    await set_letterhead(own.cast.db, own.cast.account_id, damaged, by=BY)
    await queue_invoices(own, "bob")
    await set_letterhead(own.cast.db, own.cast.account_id, None, by=BY)
    await queue_invoices(own, "cem")
    with capture_logs():
        await send_all(own)
    statuses = {row["recipient"][:3]: row["status"] for row in await own.outbox()}
    assert statuses == {"ada": "sent", "bob": "failed", "cem": "sent"}
    assert processes.count == 1


async def test_files_are_written_one_by_one_if_their_process_is_killed(
    own: OwnService, processes: Processes
) -> None:
    """So that one that takes all the memory stops no other, and nothing is sent twice."""
    await turn_on_billing(own.cast, has_issue=True)
    await queue_invoices(own, "ada", "bob", "cem")
    processes.kills_first = True
    with capture_logs():
        await send_all(own)
    assert [row["status"] for row in await own.outbox()] == ["sent"] * 3
    assert len(own.mailbox.emails) == 3
    assert processes.count == 4
    await assert_sound(own)
