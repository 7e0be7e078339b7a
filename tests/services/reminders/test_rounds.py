"""Rounds of reminders: what goes out, their fees, what holds copies, and what is taken back."""

import re
from datetime import date
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from masthead.model.billing.documents import DocumentKind
from masthead.model.billing.journal import Ledger
from masthead.model.errors import Invalid
from masthead.model.letters.outcomes import LetterChannel, LetterStatus
from masthead.model.pagination import PageRequest
from masthead.model.reminders.due import Unreminded
from masthead.model.reminders.outcomes import ReminderSkip
from masthead.services.background.daily import redo_daily_pass
from masthead.services.billing.balances import write_off, write_off_all
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payers import update_payer
from masthead.services.billing.undo import undo_payment
from masthead.services.debits.mark import unmark_invoice
from masthead.services.debits.settings import save_settings
from masthead.services.emails.outbox import begin_sending
from masthead.services.holds.by_hand import release
from masthead.services.privacy.erase import erase_subscriber
from masthead.services.reminders.plan import count_due, plan_reminders
from masthead.services.reminders.printing import prepare_pdf, write_reminder
from masthead.services.reminders.rounds import mark_printed, stop_round, undo_printed
from masthead.services.reminders.terms import agree, stop_payer
from masthead.services.reminders.write import send_round
from masthead.store import accounts
from masthead.store.background import outbox
from masthead.store.billing import journal, owed
from masthead.store.holds import records as holds
from masthead.store.reminders import records as store
from masthead.store.reminders.overdue import find_reminded
from masthead.store.reminders.records import ListedReminder
from masthead.store.reminders.terms import ReminderTerm
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.billing import balances, bill_one, list_journal, newest_invoices, read_invoice
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.debits import CREDITOR_ID, debit_one, make_debtor
from tests.support.reminders import SITE, due, plan, remind, turn_on_reminders
from tests.support.subscriber_pages import sent_emails

FIRST = date(2026, 6, 1)


async def listed(cast: Cast, round_id: str) -> list[ListedReminder]:
    async with cast.db.read() as db:
        return await store.list_of_round(db, cast.account_id, round_id)


async def held(cast: Cast) -> int:
    async with cast.db.read() as db:
        return await holds.count_held(db, cast.account_id)


async def last_reminder(cast: Cast, invoice_id: str) -> tuple[int, date | None]:
    """The stage and the day of the last reminder, as they stand beside the invoice."""
    async with cast.db.read() as db:
        invoice = (await find_reminded(db, cast.account_id, [invoice_id]))[invoice_id]
    return invoice.stage, invoice.reminded_date


async def start(cast: Cast, **fields: Any) -> None:
    """An account that reminds, on the day on which its invoices are issued."""
    await turn_on_reminders(cast, **fields)
    await redo_daily_pass(cast.db, cast.account_id, FIRST, by=BY)


async def test_reminders_are_counted_in_batches_of_payers(
    acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("FIRST_BATCH", "BATCH"):
        monkeypatch.setattr(f"masthead.services.reminders.plan.{name}", 2)
    await start(acme)
    for number in range(5):
        await bill_one(acme, order_id=str(number), due_days=14, email=f"{number}@example.org")
    stopped = await bill_one(acme, order_id="5", due_days=14, email="5@example.org")
    await stop_payer(acme.db, acme.account_id, stopped.payer_id, reason="Friend", by=BY)

    async def count(most: int) -> int:
        async with acme.db.read() as db:
            account = await accounts.get_account(db, acme.account_id)
            return await count_due(db, account, account.daily_date, most=most)

    assert await count(9) == 0
    await pass_on(acme, "2026-06-22")
    assert await count(9) == len((await plan(acme)).letters) == 5
    assert [await count(most) for most in (5, 4, 3)] == [5, 4, 3]


async def test_an_invoice_goes_through_all_stages_and_its_fees_are_paid(acme: Cast) -> None:
    await start(acme, hold_stage=2)
    invoice = await bill_one(acme, due_days=14, email="ada@example.org")  # due on 15 June
    await pass_on(acme, "2026-06-21")
    assert not (await plan(acme)).letters
    await pass_on(acme, "2026-06-22")
    first = await remind(acme, 1)
    assert (first.by_email, first.to_print, first.held) == (1, 0, 0)
    assert not (await plan(acme)).letters
    with pytest.raises(Invalid, match="No reminder is chosen"):
        await remind(acme, 1)
    [reminder] = await listed(acme, first.id)
    assert (reminder.total, reminder.fee, reminder.status) == (6000, 0, LetterStatus.QUEUED)

    await pass_on(acme, "2026-07-06")
    second = await remind(acme, 2)
    assert second.held == 1
    [reminder] = await listed(acme, second.id)
    assert (reminder.total, reminder.fee) == (6250, 250)
    fee = (await newest_invoices(acme))[0]
    assert (fee.kind, fee.document.number) == (DocumentKind.FEE, "FEE-2026-00001")
    assert (fee.open_amount, fee.document.vat) == (250, 0)
    assert await held(acme) == 1
    await pass_on(acme, "2026-07-20")
    [third] = await due(acme, 3)
    assert (third.open_fees, third.fee, third.total) == (250, 500, 6750)

    paid = await pay(acme, amount="62.50", payer=invoice.payer_id)
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    assert (await read_invoice(acme, fee.id)).open_amount == 0
    assert await held(acme) == 0
    assert not (await plan(acme)).letters
    await undo_payment(acme.db, acme.account_id, paid.id, by=BY)
    assert await held(acme) == 1
    assert len(await due(acme, 3)) == 1
    assert await faults(acme) == []


async def test_the_books_agree_to_the_cent_with_fees(acme: Cast) -> None:
    await start(acme, fees=(100, 250, 500))
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    other = await bill_one(acme, order_id="B", due_days=1, email="bob@example.org", price="9.00")
    await pass_on(acme, "2026-06-09")
    await remind(acme, 1)
    fees = [each for each in await newest_invoices(acme) if each.kind is DocumentKind.FEE]
    waived = next(each for each in fees if each.payer_id == other.payer_id)
    await write_off(acme.db, acme.account_id, waived.id, reason="Friend", by=BY)
    await pay(acme, amount="60.00", payer=invoice.payer_id)  # without the fee
    async with acme.db.read() as db:
        entries = await list_journal(db, acme.account_id, date(2026, 1, 1), date(2026, 12, 31))
        [sums] = await journal.sum_receivables(db, acme.account_id, date(2026, 12, 31))
        still = (await owed.sum_open(db, acme.account_id))["EUR"]
    found = balances(entries)
    assert found["EUR", Ledger.REMINDER_FEES] == -100
    assert found["EUR", Ledger.RECEIVABLES] == sums.owed == still == 900 + 100
    assert (sums.fees, sums.waived, sums.written_off) == (200, 100, 0)
    assert await faults(acme) == []


async def test_a_letter_lists_all_invoices_of_a_payer_and_goes_on_paper(acme: Cast) -> None:
    await start(acme)
    first = await bill_one(acme, due_days=1)
    await bill_one(acme, order_id="B", due_days=5, subscriber_id=first.payer_id, price="12.00")
    await update_payer(
        acme.db,
        acme.account_id,
        first.payer_id,
        vat_id="",
        bills_together=False,
        department="Treasury",
        by=BY,
    )
    await pass_on(acme, "2026-06-09")
    [letter] = await due(acme, 1)
    assert ([each.stage for each in letter.items], letter.total) == ([1, 0], 7200)
    made = await remind(acme, 1)
    assert (made.by_email, made.to_print) == (0, 1)
    pdf = await prepare_pdf(acme.db, acme.account_id, made.id, by=BY)
    assert pdf.startswith(b"%PDF")
    async with acme.db.read() as db:
        stored = await store.get_reminder(db, acme.account_id, (await listed(acme, made.id))[0].id)
    number = first.document.number
    assert re.search(f"Invoice {number} of [\\w ]+ 2026, due on [\\w ]+ 2026, ", stored.body)
    assert "€72.00" in stored.body
    assert "DE89 3704 0044 0532 0130 00" in stored.body
    assert "Treasury\n1 Mill Lane" in stored.address
    assert await mark_printed(acme.db, acme.account_id, made.id, by=BY) == 1
    await pass_on(acme, "2026-06-13")
    [letter] = await due(acme, 1)  # the second invoice has its own first stage
    assert [each.invoice.id == first.id for each in letter.items] == [False]


async def test_what_the_user_has_not_seen_is_not_sent(acme: Cast) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    await pass_on(acme, "2026-06-09")
    keys = [each.key for each in await due(acme, 1)]
    await pay(acme, amount="10.00", payer=invoice.payer_id)
    args = (acme.db, acme.account_id, 1)
    with pytest.raises(Invalid, match="has changed"):
        await send_round(*args, keys, site=SITE, by=BY)
    keys = [each.key for each in await due(acme, 1)]
    with pytest.raises(Invalid, match="has changed"):  # without a mail server, it is printed
        await send_round(*args, keys, site=None, by=BY)
    assert (await send_round(*args, keys, site=SITE, by=BY)).by_email == 1


async def test_without_a_mail_server_payers_with_an_email_get_a_letter(acme: Cast) -> None:
    await start(acme)
    await bill_one(acme, due_days=1, email="ada@example.org")
    await pass_on(acme, "2026-06-09")
    async with acme.db.read() as db:
        account = await accounts.get_account(db, acme.account_id)
        plan = await plan_reminders(db, account, account.daily_date, has_mail=False)
    assert [each.channel for each in plan.letters] == [LetterChannel.PRINT]
    keys = [each.key for each in plan.letters]
    made = await send_round(acme.db, acme.account_id, 1, keys, site=None, by=BY)
    assert (made.by_email, made.to_print) == (0, 1)
    pdf = await prepare_pdf(acme.db, acme.account_id, made.id, by=BY)
    assert pdf.startswith(b"%PDF")


async def test_an_email_is_taken_back_if_the_invoice_was_paid_meanwhile(acme: Cast) -> None:
    await start(acme, fees=(100, 0, 0), hold_stage=1)
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    await bill_one(acme, order_id="B", due_days=1, email="bob@example.org")
    await pass_on(acme, "2026-06-09")
    made = await remind(acme, 1)
    await pay(acme, amount="60.00", payer=invoice.payer_id)
    emails = await outbox.list_due(acme.db, 100_000)
    ids = {each.id for each in await listed(acme, made.id)}
    assert len([each for each in emails if each.reminder_id in ids]) == 2
    for each in [each for each in emails if each.reminder_id in ids]:
        await begin_sending(acme.db, each, domain="desk.test")
    found = {each.payer_id == invoice.payer_id: each for each in await listed(acme, made.id)}
    assert (found[True].status, found[True].reason) == (LetterStatus.SKIPPED, ReminderSkip.CHANGED)
    assert found[False].status is LetterStatus.QUEUED
    row = await acme.db.fetch_one(
        "SELECT status, last_error FROM outbox WHERE account_id = :a AND reminder_id = :id",
        {"a": acme.account_id, "id": found[True].id},
    )
    assert row is not None
    assert (row["status"], row["last_error"][:9]) == ("cancelled", "Not sent:")
    fees = [each for each in await newest_invoices(acme) if each.kind is DocumentKind.FEE]
    assert {each.payer_id == invoice.payer_id: each.open_amount for each in fees} == {
        True: 0,
        False: 100,
    }
    assert await held(acme) == 1
    assert (await write_reminder(acme.db, acme.account_id, found[False].id))[:4] == b"%PDF"
    assert await faults(acme) == []


async def test_an_email_is_taken_back_if_something_was_agreed_meanwhile(acme: Cast) -> None:
    await start(acme, fees=(0, 100, 0), hold_stage=1)
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    await pass_on(acme, "2026-06-09")
    await remind(acme, 1)
    await sent_emails(acme)
    await pass_on(acme, "2026-06-23")
    made = await remind(acme, 2)
    [fee] = [each for each in await newest_invoices(acme) if each.kind is DocumentKind.FEE]
    await write_off(acme.db, acme.account_id, fee.id, reason="Kind", by=BY)
    disputed = ReminderTerm(is_disputed=True, reason="Damaged")
    await agree(acme.db, acme.account_id, invoice.id, disputed, by=BY)
    assert await sent_emails(acme) == []
    [reminder] = await listed(acme, made.id)
    assert (reminder.status, reminder.reason) == (LetterStatus.SKIPPED, ReminderSkip.UNWANTED)
    # The first reminder went out, and holds copies
    assert await last_reminder(acme, invoice.id) == (1, date(2026, 6, 9))
    assert await held(acme) == 1
    assert await faults(acme) == []


async def test_a_letter_has_its_invoices_enclosed_if_its_stage_says_so(acme: Cast) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=1)
    counts = []
    for stage, day in ((1, "2026-06-09"), (2, "2026-06-23")):
        await pass_on(acme, day)
        made = await remind(acme, stage)
        pdf = await prepare_pdf(acme.db, acme.account_id, made.id, by=BY)
        pages = PdfReader(BytesIO(pdf)).pages
        counts.append(len(pages))
        assert invoice.document.number in pages[-1].extract_text()
        await mark_printed(acme.db, acme.account_id, made.id, by=BY)
    assert counts == [1, 2]


async def test_a_round_has_a_limit(acme: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masthead.services.reminders.write.MOST", 1)
    await start(acme)
    for name in ("ada", "bob"):
        await bill_one(acme, order_id=name, due_days=1, email=f"{name}@example.org")
    await pass_on(acme, "2026-06-09")
    with pytest.raises(Invalid, match="Send at most 1 reminders at a time"):
        await remind(acme, 1)


async def test_a_stopped_round_waives_fees_releases_copies_and_is_due_again(acme: Cast) -> None:
    await start(acme, fees=(100, 0, 0), hold_stage=1)
    await bill_one(acme, due_days=1, email="ada@example.org")
    await bill_one(acme, order_id="B", due_days=1)
    await pass_on(acme, "2026-06-09")
    made = await remind(acme, 1)
    assert await held(acme) == 2
    done = await stop_round(acme.db, acme.account_id, made.id, by=BY)
    assert (done.stopped, done.sent) == (2, 0)
    assert await held(acme) == 0
    assert {each.reason for each in await listed(acme, made.id)} == {ReminderSkip.STOPPED}
    assert [each.open_fees for each in await due(acme, 1)] == [0, 0]
    assert (await stop_round(acme.db, acme.account_id, made.id, by=BY)).stopped == 0
    assert await faults(acme) == []


async def test_printed_reminders_are_to_be_printed_again_or_stopped(acme: Cast) -> None:
    await start(acme, fees=(100, 0, 0), hold_stage=1)
    invoice = await bill_one(acme, due_days=1)
    await pass_on(acme, "2026-06-09")
    made = await remind(acme, 1)
    account = acme.db, acme.account_id
    assert await undo_printed(*account, made.id, by=BY) == 0
    assert await mark_printed(*account, made.id, by=BY) == 1
    assert (await stop_round(*account, made.id, by=BY)).stopped == 0
    assert await undo_printed(*account, made.id, by=BY) == 1
    assert [each.status for each in await listed(acme, made.id)] == [LetterStatus.TO_PRINT]
    assert await last_reminder(acme, invoice.id) == (1, date(2026, 6, 9))
    assert await held(acme) == 1
    assert await due(acme, 1) == []
    assert await faults(acme) == []

    assert (await stop_round(*account, made.id, by=BY)).stopped == 1
    assert await last_reminder(acme, invoice.id) == (0, None)
    assert await held(acme) == 0
    assert [each.open_fees for each in await due(acme, 1)] == [0]
    assert await undo_printed(*account, made.id, by=BY) == 0
    assert await faults(acme) == []


async def test_a_reminder_that_was_not_printed_is_left_out_if_it_was_paid(acme: Cast) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=1)
    await pass_on(acme, "2026-06-09")
    made = await remind(acme, 1)
    account = acme.db, acme.account_id
    await mark_printed(*account, made.id, by=BY)
    await pay(acme, amount="60.00", invoices=[{"number": invoice.document.number}])
    await undo_printed(*account, made.id, by=BY)
    with pytest.raises(Invalid, match="No letters are left to print"):
        await prepare_pdf(*account, made.id, by=BY)
    [reminder] = await listed(acme, made.id)
    assert (reminder.status, reminder.reason) == (LetterStatus.SKIPPED, ReminderSkip.CHANGED)


async def test_what_was_agreed_is_respected(acme: Cast) -> None:
    await start(acme, least_amount=500)
    invoice = await bill_one(acme, due_days=1, email="ada@example.org")
    small = await bill_one(acme, order_id="B", due_days=1, email="bob@example.org", price="4.99")
    await pass_on(acme, "2026-06-09")
    account = acme.db, acme.account_id

    async def why() -> dict[str, Unreminded]:
        return {each.invoice.id: each.why for each in (await plan(acme)).left_out}

    assert await why() == {small.id: Unreminded.SMALL}
    promised = ReminderTerm(promised_date=date(2026, 6, 20), reason="Called")
    past = ReminderTerm(promised_date=date(2026, 6, 8), reason="Called")
    with pytest.raises(Invalid, match="is over"):
        await agree(*account, invoice.id, past, by=BY)
    with pytest.raises(Invalid, match="Say why"):
        await agree(*account, invoice.id, ReminderTerm(is_stopped=True), by=BY)
    await agree(*account, invoice.id, promised, by=BY)
    assert (await why())[invoice.id] is Unreminded.PROMISED
    await agree(*account, invoice.id, ReminderTerm(is_disputed=True, reason="Damaged"), by=BY)
    assert (await why())[invoice.id] is Unreminded.DISPUTED
    await agree(*account, invoice.id, ReminderTerm(), by=BY)
    await stop_payer(*account, invoice.payer_id, reason="Author", by=BY)
    assert (await why())[invoice.id] is Unreminded.PAYER_STOPPED
    await stop_payer(*account, invoice.payer_id, reason=None, by=BY)
    assert len(await due(acme, 1)) == 1
    fields: Any = {"is_cancelling": True, "placeholder_domain": "x.test"}
    await erase_subscriber(*account, invoice.payer_id, by=BY, **fields)
    assert (await why())[invoice.id] is Unreminded.ERASED


async def test_nobody_is_reminded_of_what_is_collected_by_direct_debit(acme: Cast) -> None:
    await start(acme)
    await save_settings(acme.db, acme.account_id, creditor_id=CREDITOR_ID, notice_days=5, by=BY)
    payer_id = await make_debtor(acme)
    invoice = await debit_one(acme, payer_id, due_days=1)
    await pass_on(acme, "2026-06-09")
    left_out = (await plan(acme)).left_out
    assert [(each.invoice.id, each.why) for each in left_out] == [(invoice.id, Unreminded.DEBITED)]
    await unmark_invoice(acme.db, acme.account_id, invoice.id, by=BY)
    assert len(await due(acme, 1)) == 1


async def test_credit_write_off_and_a_user_release_copies(acme: Cast) -> None:
    await start(acme, hold_stage=1)
    made = [
        await bill_one(acme, order_id=name, due_days=1, email=f"{name}@example.org")
        for name in "abc"
    ]
    await pass_on(acme, "2026-06-09")
    assert (await remind(acme, 1)).held == 3
    account = acme.db, acme.account_id
    await credit_invoice(*account, made[0].id, amount=None, reason="Late", by=BY)
    await write_off_all(*account, [made[1].id], reason="Gone", by=BY)
    async with acme.db.read() as db:
        page = await holds.list_all_open(
            db, acme.account_id, PageRequest(9, None, b"", is_ascending=True)
        )
    [left] = page.items
    assert [each.invoice_number for each in left.holds] == [made[2].document.number]
    await release(*account, left.subscription_id, reason="Promised", by=BY)
    await pay(acme, amount="10.00", invoices=[{"number": made[2].document.number}])
    assert await held(acme) == 0
    with pytest.raises(Invalid, match="Nothing is open"):
        await write_off_all(*account, [made[2].id, made[1].id], reason="Gone", by=BY)
    assert (await read_invoice(acme, made[2].id)).open_amount == 5000
    assert await faults(acme) == []


async def test_a_letter_asks_for_what_is_left_after_the_credit_of_the_payer(acme: Cast) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=14, email="ada@example.org")
    paid = await bill_one(acme, due_days=14, subscriber_id=invoice.payer_id)
    await pass_on(acme, "2026-06-22")
    await pay(acme, amount="75.00", invoices=[{"number": paid.document.number}])
    [letter] = await due(acme, 1)
    assert (letter.amount, letter.credit, letter.total) == (6000, 1500, 4500)
    round = await remind(acme, 1)
    [reminder] = await listed(acme, round.id)
    assert reminder.total == 4500
    async with acme.db.read() as db:
        stored = await store.get_reminder(db, acme.account_id, reminder.id)
    assert "Your credit: -€15.00" in stored.body
    assert "Together: €45.00" in stored.body


async def test_a_letter_that_waits_is_taken_back_if_the_payer_has_credit_meanwhile(
    acme: Cast,
) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=14, email="ada@example.org")
    other = await bill_one(acme, due_days=60, subscriber_id=invoice.payer_id)
    await pass_on(acme, "2026-06-22")
    round = await remind(acme, 1)
    await pay(acme, amount="75.00", invoices=[{"number": other.document.number}])
    emails = await outbox.list_due(acme.db, 100_000)
    [email] = [each for each in emails if each.account_id == acme.account_id]
    assert await begin_sending(acme.db, email, domain=SITE.domain) is None
    [reminder] = await listed(acme, round.id)
    assert (reminder.status, reminder.reason) == (LetterStatus.SKIPPED, ReminderSkip.CHANGED)


@pytest.mark.parametrize("day", [date(2032, 6, 8), date.max])
async def test_a_day_that_is_years_ahead_is_agreed_with_nobody(acme: Cast, day: date) -> None:
    await start(acme)
    invoice = await bill_one(acme, due_days=14, email="ada@example.org")
    term = ReminderTerm(promised_date=day, reason="Called")
    with pytest.raises(Invalid, match="years ahead"):
        await agree(acme.db, acme.account_id, invoice.id, term, by=BY)
    await pass_on(acme, "2026-06-22")
    assert len((await plan(acme)).letters) == 1
