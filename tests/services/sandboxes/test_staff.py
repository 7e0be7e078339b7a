"""What staff do in other accounts, a sandbox does by itself, unless it is told not to."""

from collections import Counter
from dataclasses import replace
from datetime import date

import pytest

from masthead.model.debits.rules import DebitStatus
from masthead.model.letters.outcomes import LetterChannel, LetterStatus
from masthead.model.privacy.retention import RetentionKind, RetentionRule
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.types.enums import SourceType
from masthead.services.billing.undo import undo_payment
from masthead.services.debits.collect import create_collections
from masthead.services.debits.mandates import add_mandate
from masthead.services.debits.settings import save_settings
from masthead.services.letters.texts import update_text
from masthead.services.privacy.retention import save_rules
from masthead.services.reminders.settings import adopt_defaults
from masthead.services.sources import create_source
from masthead.store.background import outbox
from masthead.store.engine.interface import Database
from masthead.store.reminders import records
from tests.conftest import BY, Cast, Client
from tests.support.billing import bill_one, payment_ids, read_invoice, turn_on_billing
from tests.support.checks import faults
from tests.support.debits import CREDITOR_ID, list_debits, new_mandate
from tests.support.factories import make_subscription
from tests.support.sandboxes import Sandbox, make_sandbox
from tests.support.walk import walk

EMAILS = "/v1/sandbox/emails/"
ORDER = {"order_date": "2026-01-01", "start_issue": 5}


@pytest.fixture
async def sandbox(client: Client, db: Database) -> Sandbox:
    """A sandbox that writes invoices, reminds in three stages, and collects by direct debit."""
    return await make_sandbox(client, db)


@pytest.fixture
async def cast(sandbox: Sandbox, acme: Cast) -> Cast:
    """The office of the sandbox."""
    db, id = sandbox.db, sandbox.account.id
    shop = await create_source(db, id, name="Web shop", type=SourceType.SHOP, by=BY)
    cast = replace(acme, account_id=id, key=sandbox.key, shop=shop.id)
    await turn_on_billing(cast, has_issue=True)
    await adopt_defaults(db, id, by=BY)
    await save_settings(db, id, creditor_id=CREDITOR_ID, notice_days=5, by=BY)
    return cast


async def test_a_sandbox_reminds_and_collects_as_staff_would(sandbox: Sandbox, cast: Cast) -> None:
    db, id = sandbox.db, cast.account_id
    unpaid = await bill_one(cast, **ORDER, email="unpaid@reader.test")
    on_paper = await bill_one(cast, **ORDER, email=None, last_name="Paper")
    debited = {}
    for email in ("paid@reader.test", "declined@reader.test"):
        made = await make_subscription(cast, **ORDER, email=email)
        payer = made["subscriber"]["id"]
        signed = new_mandate(signed_date=date(2026, 1, 1))
        await add_mandate(db, id, payer, signed, by=BY)
        invoice = await bill_one(cast, **ORDER, subscriber_id=payer, is_debited=True)
        debited[email] = invoice
    assert unpaid.document.due_date == date(2026, 1, 15)

    # The control: staff have to do it
    await sandbox.move(to=date(2026, 1, 14), is_automatic=False)
    assert await walk(sandbox, EMAILS) == []
    statuses = [(await list_debits(cast, each.id))[0].status for each in debited.values()]
    assert statuses == [DebitStatus.WAITING] * 2
    # From the 15th on; the first file is for the 16th, a Friday
    await sandbox.move(to=date(2026, 2, 20), is_automatic=True)
    [paid] = await list_debits(cast, debited["paid@reader.test"].id)
    [returned] = await list_debits(cast, debited["declined@reader.test"].id)
    assert (paid.status, returned.status) == (DebitStatus.PAID, DebitStatus.RETURNED)
    assert (returned.return_reason, returned.returned_date) == ("AM04", date(2026, 1, 16))
    assert (await read_invoice(cast, debited["paid@reader.test"].id)).open_amount == 0

    # Due on 15 January; the stages are 7, 14 and 14 days later
    async with db.read() as connection:
        sent = await records.list_of_invoice(connection, id, unpaid.id)
        printed = await records.list_of_invoice(connection, id, on_paper.id)
    days = [date(2026, 1, 22), date(2026, 2, 5), date(2026, 2, 19)]
    assert [each.reminded_date for each in reversed(sent)] == days
    assert {each.status for each in sent} == {LetterStatus.SENT}
    assert [each.reminded_date for each in reversed(printed)] == days
    assert {(each.channel, each.status) for each in printed} == {
        (LetterChannel.PRINT, LetterStatus.PRINTED)
    }
    kept = Counter(each["recipient"] for each in await walk(sandbox, EMAILS))
    assert (kept["unpaid@reader.test"], kept["declined@reader.test"]) == (3, 3)
    assert kept["paid@reader.test"] == 0
    assert not any(each.account_id == id for each in await outbox.list_due(db, 100_000))
    assert await faults(cast) == []

    # The bank of a sandbox sends no statement: its return is undone by the payment
    [back] = await payment_ids(cast, sign=-1)
    await undo_payment(db, id, back, by=BY)
    [returned] = await list_debits(cast, debited["declined@reader.test"].id)
    assert (returned.status, returned.return_reason) == (DebitStatus.PAID, "")
    assert (await read_invoice(cast, returned.invoice_id)).open_amount == 0
    assert await faults(cast) == []


async def test_a_sandbox_sends_the_letters_of_all_stages(sandbox: Sandbox) -> None:
    clock = await sandbox.post("/v1/sandbox/clock/", {"is_automatic": False})
    expected = {"day": "2026-01-01", "first_day": "2026-01-01", "is_automatic": False}
    assert clock.json() == expected
    await sandbox.move(to=date(2026, 12, 31))
    assert await walk(sandbox, EMAILS) == []  # the control
    assert (await sandbox.post("/v1/sandbox/reset/")).json() == expected
    clock = await sandbox.post("/v1/sandbox/clock/", {"to": "2026-12-31", "is_automatic": True})
    assert clock.json() == {**expected, "day": "2026-12-31", "is_automatic": True}
    found = await walk(sandbox, EMAILS, limit=200)
    assert Counter(each["subject"] for each in found) == {
        "Your subscription to Sandbox ends soon": 6,
        "Please renew your subscription to Sandbox": 7,
        "Your subscription to Sandbox has ended": 10,  # also what is past due
        "We miss you at Sandbox": 5,
    }
    of_karla = [each for each in reversed(found) if each["recipient"].startswith("karla")]
    assert [each["created_at"][:10] for each in of_karla] == [
        "2026-03-01",  # issue 5 is out, and 6 is her last one
        "2026-06-01",
        "2026-09-01",
        "2026-12-01",
    ]
    of_late = [each for each in found if each["recipient"].startswith("late")]
    assert len(of_late) == 4  # each quarter is paid a week late


async def test_letters_on_paper_are_printed_and_collections_of_staff_wait_for_them(
    sandbox: Sandbox, cast: Cast
) -> None:
    db, id = sandbox.db, cast.account_id
    address = {"address1": "Weg 1", "city": "Ulm", "postcode": "89073", "country": "DE"}
    await make_subscription(cast, **ORDER, **address, length=1, email=None, last_name="Paper")
    unpaid = await bill_one(cast, **ORDER, email="unpaid@reader.test")
    payer = (await make_subscription(cast, **ORDER, email="paid@reader.test"))["subscriber"]["id"]
    await add_mandate(db, id, payer, new_mandate(signed_date=date(2026, 1, 1)), by=BY)
    invoice = await bill_one(cast, **ORDER, subscriber_id=payer, is_debited=True)
    [debit] = await list_debits(cast, invoice.id)
    await create_collections(db, id, day=date(2026, 1, 16), debit_ids=[debit.id], by=BY)
    await sandbox.move(to=date(2026, 1, 31), is_automatic=True)
    [debit] = await list_debits(cast, invoice.id)
    assert debit.status is DebitStatus.COLLECTED  # staff did not send the file
    async with db.read() as connection:
        [reminder] = await records.list_of_invoice(connection, id, unpaid.id)
    assert (reminder.channel, reminder.status) == (LetterChannel.EMAIL, LetterStatus.SENT)
    await sandbox.move(to=date(2026, 12, 31))
    letters = await db.fetch_all(
        """
        SELECT status, created_at, ended_at
        FROM renewal_letter
        WHERE account_id = :id AND channel = 'print'
        """,
        {"id": id},
    )
    assert {each["status"] for each in letters} == {"printed"}
    reminders = await db.fetch_all(
        "SELECT created_at, ended_at FROM reminder WHERE account_id = :id", {"id": id}
    )
    for each in [*letters, *reminders]:  # at the time of the sandbox
        assert each["ended_at"].date() == each["created_at"].date()


async def test_a_sandbox_without_staff_applies_the_rules_of_the_account(sandbox: Sandbox) -> None:
    db, id = sandbox.db, sandbox.account.id
    await update_text(
        db, id, RenewalStage.LAST, subject="By rule", text="T", is_automatic=True, by=BY
    )
    rule = RetentionRule(kind=RetentionKind.ENDED_SUBSCRIBERS, months=1, is_automatic=True)
    await save_rules(db, id, [rule], by=BY)
    await sandbox.move(to=date(2026, 12, 31), is_automatic=False)
    found = await walk(sandbox, EMAILS, limit=200)
    assert {each["subject"] for each in found} == {"By rule", ""}  # "": of who was erased since
    erased = await db.fetch_all(
        "SELECT id FROM erasure WHERE account_id = :id AND actor_kind <> 'user'", {"id": id}
    )
    assert erased
