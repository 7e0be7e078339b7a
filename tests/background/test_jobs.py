"""The background work of `serve` sends each email once and runs the daily pass once a day."""

from datetime import UTC, datetime, timedelta
from typing import Any

from structlog.testing import capture_logs

from masthead.background import emails
from masthead.model.email_retries import MAX_ATTEMPTS
from masthead.model.errors import Unavailable
from tests.support.factories import make_subscription
from tests.support.own_service import SENDER, OwnService

# --- letters --------------------------------------------------------------------------------------


async def test_an_email_is_sent_once_and_recorded(own: OwnService) -> None:
    await own.welcome(first_name="Ada", last_name="Lovelace")
    worker = own.background()
    for _ in range(3):
        await worker.work_once()
    (email,) = own.mailbox.emails
    assert email["To"] == "ada@example.test"
    assert email["From"] == SENDER
    assert email["Subject"] == "Welcome to Acme"
    assert "Ada Lovelace" in email.get_content()
    (row,) = await own.outbox()
    assert (row["status"], row["attempts"], row["last_error"]) == ("sent", 0, None)
    assert row["sent_at"] is not None
    assert email["Message-ID"] == row["message_id"]


async def test_all_emails_are_sent_oldest_first(own: OwnService) -> None:
    people = [f"reader-{number}@example.test" for number in range(emails.BATCH + 3)]
    for email in people:
        await own.welcome(email)
    worker = own.background()
    await worker.work_once()
    await worker.work_once()
    assert [email["To"] for email in own.mailbox.emails] == people
    assert len(set(own.mailbox.ids)) == len(people)


async def test_no_email_is_sent_without_an_address(own: OwnService) -> None:
    await make_subscription(own.cast, send_welcome_email=True)
    await own.background().work_once()
    assert own.mailbox.emails == []
    assert await own.outbox() == []


async def test_a_name_with_line_breaks_does_not_start_a_header(own: OwnService) -> None:
    await own.execute("UPDATE account SET welcome_subject = 'Hello {name}'")
    await own.welcome(first_name="Ada\r\nBcc: everybody@example.test\r\n\r\nboo")
    await own.background().work_once()
    (email,) = own.mailbox.emails
    assert email["Subject"] == "Hello Ada Bcc: everybody@example.test boo"
    assert email["Bcc"] is None
    assert own.mailbox.envelopes == [("hello@acme.test", ["ada@example.test"])]


async def test_a_temporarily_refused_email_is_sent_later(own: OwnService) -> None:
    await own.welcome()
    own.mailbox.answers["RCPT"] = "450 greylisted"
    worker, before = own.background(), datetime.now(UTC)
    with capture_logs() as logs:
        await worker.work_once()
    (logged,) = (entry for entry in logs if entry["event"] == "email put off")
    assert "greylisted" in logged["reason"]
    (row,) = await own.outbox()
    assert (row["status"], row["attempts"]) == ("waiting", 1)
    assert "greylisted" in row["last_error"]
    wait = row["next_attempt_at"] - before
    assert timedelta(seconds=59) < wait < timedelta(seconds=120)
    own.mailbox.answers.clear()
    await worker.work_once()
    assert own.mailbox.emails == []  # its delay has not ended
    await own.execute("UPDATE outbox SET next_attempt_at = :now", now=before)
    await worker.work_once()
    assert own.mailbox.ids == [row["message_id"]]
    assert (await own.outbox())[0]["status"] == "sent"


async def test_retry_delays_grow_until_the_email_is_given_up(own: OwnService) -> None:
    await own.welcome()
    own.mailbox.answers["DATA"] = "452 full"
    worker, waits, row = own.background(), list[int](), dict[str, Any]()
    with capture_logs() as logs:
        for _ in range(MAX_ATTEMPTS):
            before = datetime.now(UTC)
            await own.execute("UPDATE outbox SET next_attempt_at = :now", now=before)
            await worker.work_once()
            (row,) = await own.outbox()
            waits.append(round((row["next_attempt_at"] - before) / timedelta(minutes=1)))
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, *[240] * 29, 0]
    assert (row["status"], row["attempts"]) == ("failed", MAX_ATTEMPTS)
    assert [entry["event"] for entry in logs if "email" in entry["event"]][-2:] == [
        "email put off",
        "email given up",
    ]


async def test_a_permanently_refused_email_is_given_up_with_its_reason(own: OwnService) -> None:
    await own.welcome("nobody@example.test")
    own.mailbox.answers["RCPT"] = "550 no such user"
    worker = own.background()
    with capture_logs() as logs:
        await worker.work_once()
    (logged,) = (entry for entry in logs if entry["event"] == "email given up")
    assert "no such user" in logged["reason"]
    (row,) = await own.outbox()
    assert (row["status"], row["attempts"]) == ("failed", 1)
    assert "no such user" in row["last_error"]
    own.mailbox.answers.clear()
    await own.welcome()
    await worker.work_once()
    assert [email["To"] for email in own.mailbox.emails] == ["ada@example.test"]


async def test_an_invalid_email_is_given_up_and_does_not_delay_others(own: OwnService) -> None:
    await own.welcome("bob@example.test")
    await own.execute("UPDATE outbox SET recipient = :two", two="bob@example.test\nBcc: x@y.test")
    await own.welcome()
    await own.background().work_once()
    assert [email["To"] for email in own.mailbox.emails] == ["ada@example.test"]
    assert [row["status"] for row in await own.outbox()] == ["failed", "sent"]


async def test_without_an_email_server_emails_wait_and_a_warning_is_logged_once(
    own: OwnService,
) -> None:
    await own.welcome()
    worker = own.background(is_mute=True)
    with capture_logs() as logs:
        for _ in range(3):
            await worker.work_once()
    (logged,) = (entry for entry in logs if entry["log_level"] == "warning")
    assert "MASTHEAD_SMTP_HOST" in logged["event"]
    (row,) = await own.outbox()
    assert (row["status"], row["attempts"]) == ("waiting", 0)


async def test_nothing_is_logged_if_no_email_waits(own: OwnService) -> None:
    with capture_logs() as logs:
        await own.background(is_mute=True).work_once()
    assert logs == []


async def test_a_job_that_waits_for_the_database_logs_a_warning_once_a_minute(
    own: OwnService,
) -> None:
    async def wait() -> bool:
        raise Unavailable

    worker = own.background()
    with capture_logs() as logs:
        for _ in range(5):
            assert not await worker._attempt("daily pass", wait)
    assert [(entry["event"], entry["job"]) for entry in logs] == [
        ("background work waits", "daily pass")
    ]
