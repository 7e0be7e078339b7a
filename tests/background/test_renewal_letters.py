"""Renewal letters on their way: a last look, a failing email server, and the daily rule."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from structlog.testing import capture_logs

from masthead.background import renewal_letters
from masthead.background.clock import TrustedClock
from masthead.background.lease import HeldLease
from masthead.background.renewal_letters import RenewalLetters
from masthead.model.errors import Busy, Unavailable
from masthead.model.renewals.lapsed import RenewalStage
from masthead.services.check.accounts import check
from masthead.services.emails.messages import retry_email
from masthead.services.letters import texts
from tests.conftest import BY
from tests.support.factories import make_subscription
from tests.support.letters import add_subscribers, emails_of, execute, letters_of, set_up, write
from tests.support.own_service import SITE, OwnService, open_own_service

LETTERS = 100


@pytest.fixture
async def own(scratch_url: str) -> AsyncIterator[OwnService]:
    """A separate service with letters to two subscribers, and an email server."""
    async with open_own_service(scratch_url) as opened:
        await set_up(opened.cast, first=2)
        await add_subscribers(opened.cast, 2)
        yield opened


async def work(own: OwnService) -> None:
    """Let a new worker run all jobs once."""
    await own.execute("DELETE FROM lease")
    await own.background().work_once()


async def statuses(own: OwnService) -> list[tuple[str, str, str | None]]:
    """The status of each email, and the status and the reason of its letter."""
    emails = {each["id"]: each["status"] for each in await emails_of(own.cast)}
    return [
        (emails[each["id"]], each["status"], each["reason"]) for each in await letters_of(own.cast)
    ]


async def assert_sound(own: OwnService) -> None:
    assert [fault async for fault in check(own.cast.db)] == []


async def test_a_letter_is_sent_with_headers_for_one_click(own: OwnService) -> None:
    await write(own.cast)
    await work(own)
    assert await statuses(own) == [("sent", "sent", None)] * 2
    for email, row in zip(own.mailbox.emails, await emails_of(own.cast), strict=True):
        assert email["List-Unsubscribe"] == f"<{row['unsubscribe_url']}>"
        assert email["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
        assert row["unsubscribe_url"] in email.get_content()
    await assert_sound(own)


async def test_other_emails_have_no_such_headers(own: OwnService) -> None:
    await own.welcome()
    await work(own)
    (email,) = own.mailbox.emails
    assert email["List-Unsubscribe"] is None
    assert email["List-Unsubscribe-Post"] is None


@pytest.mark.parametrize(
    "change, reason",
    [
        ("UPDATE subscriber SET unsubscribed_at = created_at", "unsubscribed"),
        ("UPDATE subscriber SET bounced_at = created_at, bounce_reason = ''", "bounced"),
        ("UPDATE subscriber SET is_placeholder = true", "no_email"),
        ("UPDATE subscriber SET merged_into = 'X'", "merged"),
    ],
)
async def test_a_subscriber_who_must_not_get_it_any_more_is_skipped(
    own: OwnService, change: str, reason: str
) -> None:
    await write(own.cast)
    await own.execute(f"{change} WHERE email = 'ada0@example.test'")
    await work(own)
    assert sorted(await statuses(own)) == [("cancelled", "skipped", reason), ("sent", "sent", None)]
    assert [email["To"] for email in own.mailbox.emails] == ["ada1@example.test"]


async def test_who_has_renewed_meanwhile_is_skipped(own: OwnService) -> None:
    await write(own.cast)
    await make_subscription(own.cast, email="ada0@example.test", start_issue=3, length=4)
    await work(own)
    assert sorted(await statuses(own)) == [
        ("cancelled", "skipped", "renewed"),
        ("sent", "sent", None),
    ]
    (held,) = [each for each in await emails_of(own.cast) if each["status"] == "cancelled"]
    assert held["last_error"] == "Not sent: already renewed."
    await assert_sound(own)


async def test_a_subscription_that_was_cancelled_meanwhile_is_skipped(own: OwnService) -> None:
    await write(own.cast)
    (first, _) = await letters_of(own.cast)
    await own.cast.post(f"/v1/subscriptions/{first['subscription_id']}/cancel/", {"mode": "cancel"})
    await work(own)
    assert sorted(await statuses(own)) == [
        ("cancelled", "skipped", "cancelled"),
        ("sent", "sent", None),
    ]
    await assert_sound(own)


async def test_a_letter_goes_to_the_address_of_now(own: OwnService) -> None:
    await write(own.cast)
    await own.execute(
        "UPDATE subscriber SET email = 'new@example.test', email_key = 'new@example.test'"
        " WHERE email = 'ada0@example.test'"
    )
    await work(own)
    assert {email["To"] for email in own.mailbox.emails} == {
        "new@example.test",
        "ada1@example.test",
    }


@pytest.mark.slow
async def test_an_email_server_that_fails_in_the_middle_loses_no_letter_and_sends_none_twice(
    own: OwnService,
) -> None:
    await add_subscribers(own.cast, LETTERS - 2, prefix="more")
    assert (await write(own.cast)).letters == LETTERS
    answers = own.mailbox.answers

    async def fail_after_some() -> None:
        if len(own.mailbox.emails) == LETTERS // 2:
            answers["MAIL"] = "451 too much today"

    own.mailbox.on_data = fail_after_some
    for _ in range(LETTERS):
        await work(own)
        rows = await emails_of(own.cast)
        waiting = [row for row in rows if row["status"] == "waiting"]
        if not waiting:
            break
        if all(row["attempts"] for row in waiting):  # all others have been tried
            answers.clear()
            await own.execute("UPDATE outbox SET next_attempt_at = :now", now=datetime.now(UTC))
    recipients = [email["To"] for email in own.mailbox.emails]
    assert len(recipients) == len(set(recipients)) == LETTERS
    assert await statuses(own) == [("sent", "sent", None)] * LETTERS
    await assert_sound(own)


async def test_a_refused_letter_has_failed_and_can_be_sent_again(own: OwnService) -> None:
    await write(own.cast)
    own.mailbox.answers["RCPT"] = "550 unknown"
    await work(own)
    assert await statuses(own) == [("failed", "failed", None)] * 2
    await assert_sound(own)
    own.mailbox.answers.clear()
    first, _ = await letters_of(own.cast)
    await retry_email(own.cast.db, own.cast.account_id, first["id"], by=BY)
    await assert_sound(own)
    await work(own)
    assert sorted(await statuses(own)) == [("failed", "failed", None), ("sent", "sent", None)]
    await assert_sound(own)


async def test_a_letter_that_is_put_off_is_still_waiting(own: OwnService) -> None:
    await write(own.cast)
    own.mailbox.answers["RCPT"] = "451 later"
    await work(own)
    assert await statuses(own) == [("waiting", "queued", None)] * 2
    await assert_sound(own)


# --- by rule --------------------------------------------------------------------------------------


async def set_rule(own: OwnService, *, is_automatic: bool = True) -> None:
    """Send the letters with the last issue by rule."""
    await texts.update_text(
        own.cast.db,
        own.cast.account_id,
        RenewalStage.LAST,
        subject="S {name}",
        text="T",
        is_automatic=is_automatic,
        by=BY,
    )


async def test_letters_are_sent_by_rule_after_the_daily_pass_and_once(own: OwnService) -> None:
    await work(own)
    assert await letters_of(own.cast) == []
    await set_rule(own)
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date()
    await execute(
        own.cast,
        "UPDATE account_state SET daily_date = :day WHERE account_id = :account_id",
        day=yesterday,
    )
    for _ in range(3):
        await work(own)
    assert await statuses(own) == [("sent", "sent", None)] * 2
    assert len(own.mailbox.emails) == 2
    (batch,) = await own.cast.db.fetch_all(
        "SELECT * FROM letter_batch WHERE account_id = :id", {"id": own.cast.account_id}
    )
    assert (batch["actor_kind"], batch["actor_id"]) == ("command", "renewal letters")


async def test_a_worker_writes_by_rule_once_a_day(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renewal_letters, "CHECK_SECONDS", 0.0)
    await set_rule(own)
    background = own.background()
    await background.work_once()
    await add_subscribers(own.cast, 1, email="late@example.test")
    await background.work_once()
    assert len(await letters_of(own.cast)) == 2
    await work(own)
    assert len(await letters_of(own.cast)) == 3


async def test_an_inactive_account_sends_nothing_by_rule(own: OwnService) -> None:
    await set_rule(own)
    await own.execute("UPDATE account SET is_active = false")
    await work(own)
    assert await letters_of(own.cast) == []


@pytest.mark.parametrize(
    "failure, event",
    [(Busy(), "renewal letters wait"), (ValueError("no"), "renewal letters failed")],
)
async def test_a_stage_that_fails_is_tried_again(
    own: OwnService, monkeypatch: pytest.MonkeyPatch, failure: Exception, event: str
) -> None:
    monkeypatch.setattr(renewal_letters, "CHECK_SECONDS", 0.0)
    await set_rule(own)
    background = own.background()

    async def fail(*_: Any, **__: Any) -> None:
        raise failure

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(renewal_letters, "write_automatic", fail)
        await background.work_once()
    assert event in [each["event"] for each in logs]
    await background.work_once()
    assert len(await letters_of(own.cast)) == 2


async def test_without_the_lease_nothing_is_written_by_rule(own: OwnService) -> None:
    await set_rule(own)
    lease = HeldLease(own.cast.db, "background")
    job = RenewalLetters(own.cast.db, lease, TrustedClock(own.cast.db), SITE)
    assert await job.run_once() is False
    assert await letters_of(own.cast) == []


async def test_without_a_trusted_clock_nothing_is_written_by_rule(own: OwnService) -> None:
    await set_rule(own)
    await own.background().work_once()
    await own.execute("DELETE FROM renewal_letter")
    lease = HeldLease(own.cast.db, "background")
    with time_machine.travel(datetime.now(UTC) + timedelta(days=400)):
        await RenewalLetters(own.cast.db, lease, TrustedClock(own.cast.db), SITE).run_once()
    assert await letters_of(own.cast) == []


async def test_without_the_database_the_stage_waits(
    own: OwnService, monkeypatch: pytest.MonkeyPatch
) -> None:
    await set_rule(own)

    async def fail(*_: Any, **__: Any) -> None:
        raise Unavailable

    monkeypatch.setattr(renewal_letters, "write_automatic", fail)
    with capture_logs() as logs:
        await own.background().work_once()
    assert [each["event"] for each in logs if "reason" in each] == ["renewal letters failed"]
