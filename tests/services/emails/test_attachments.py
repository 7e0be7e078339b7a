"""The files of emails: each is made before its email is sent, or the reason why it cannot be."""

from collections.abc import Callable
from typing import Any

import pytest

from masthead.model.emails import Site
from masthead.model.errors import Busy, Unavailable
from masthead.model.letters.outcomes import LetterStatus
from masthead.services import pdf_process
from masthead.services.accounts import update_account
from masthead.services.billing.emails import email_invoice
from masthead.services.emails.attachments import BatchAttachments
from masthead.services.emails.outbox import begin_sending, end_sent
from masthead.store.background import outbox
from masthead.store.background.outbox import QueuedEmail
from tests.conftest import BY, Cast
from tests.services.reminders.test_rounds import listed, start
from tests.support.billing import bill_one, turn_on_billing
from tests.support.days import pass_on
from tests.support.reminders import remind

SITE = Site("https://desk.test", "desk.test")


async def waiting(cast: Cast) -> list[QueuedEmail]:
    """The emails of an account that are due, oldest first."""
    due = await outbox.list_due(cast.db, 100_000)
    return [each for each in due if each.account_id == cast.account_id]


@pytest.fixture
async def emails(acme: Cast) -> list[QueuedEmail]:
    """The emails of two invoices."""
    await turn_on_billing(acme)
    for name in ("ada", "bob"):
        address = f"{name}@example.org"
        id = (await bill_one(acme, order_id=name, email=address)).id
        await email_invoice(acme.db, acme.account_id, id, recipient=address, site=SITE, by=BY)
    return await waiting(acme)


async def test_a_process_that_fails_for_each_email_alone_is_the_reason_for_each(
    acme: Cast, emails: list[QueuedEmail], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    async def fail(work: Callable[..., Any], *args: object, **_options: object) -> None:
        calls.append(work)
        raise RuntimeError("killed")

    monkeypatch.setattr(pdf_process, "run_in_child", fail)
    batch = BatchAttachments(acme.db, emails)
    for each in emails:
        with pytest.raises(RuntimeError, match="killed"):
            await batch.get(each)
    assert len(calls) == 3  # of both, and of each


async def test_emails_wait_for_a_process_together(
    acme: Cast, emails: list[QueuedEmail], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def be_busy(*_args: object, **_options: object) -> None:
        raise Busy("other files")

    with monkeypatch.context() as patched:
        patched.setattr(pdf_process, "run_in_child", be_busy)
        batch = BatchAttachments(acme.db, emails)
        with pytest.raises(Unavailable):
            await batch.get(emails[0])
    names = [(await batch.get(each)) for each in emails]
    assert all(each is not None and each.name.endswith(".pdf") for each in names)


async def test_a_reminder_has_its_file_and_is_sent_when_its_email_is(acme: Cast) -> None:
    await start(acme)
    await bill_one(acme, due_days=1, email="ada@example.org")
    await pass_on(acme, "2026-06-22")
    made = await remind(acme, 1)
    [email] = [each for each in await waiting(acme) if each.reminder_id]
    file = await BatchAttachments(acme.db, [email]).get(email)
    assert file is not None
    assert (file.name, file.content[:5]) == ("reminder.pdf", b"%PDF-")
    await update_account(acme.db, acme.account_id, locale="de_AT", by=BY)
    again = await BatchAttachments(acme.db, [email]).get(email)
    assert again is not None
    assert again.name == "reminder.pdf"  # as its letter, which was written in English
    sending = await begin_sending(acme.db, email, domain="acme.test")
    assert sending is not None
    await end_sent(acme.db, sending)
    [reminder] = await listed(acme, made.id)
    assert reminder.status is LetterStatus.SENT
