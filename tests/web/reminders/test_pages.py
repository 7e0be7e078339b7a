"""The pages of reminders and holds: stages, rounds to check and send, and what is agreed."""

import html
import re
from datetime import date

import pytest

from masthead.services.background.daily import redo_daily_pass
from masthead.store.billing.invoices import StoredInvoice
from masthead.store.reminders import stages
from masthead.store.reminders.records import list_rounds
from masthead.web.kit import filters
from masthead.web.reminders import confirm as confirm_page
from tests.conftest import BY, Cast
from tests.services.billing.test_payments import pay
from tests.support.billing import bill_one, newest_invoices, read_invoice, turn_on_billing
from tests.support.checks import faults
from tests.support.days import pass_on
from tests.support.factories import make_issue, make_subscription
from tests.support.letters import emails_of
from tests.support.reminders import due, turn_on_reminders
from tests.web.bulk.test_bulk import confirm
from tests.web.conftest import Person, fields_of
from tests.web.letters.test_pages import text_of

KEY = re.compile(r'name="keep" value="(\w+)"')
BOX = re.compile(r'type="checkbox"[^>]*name="keep" value="(\w+)"( checked)?')
HIDDEN = re.compile(r'type="hidden" name="keep" value="(\w+)"')


async def two_late(cast: Cast, **settings: int) -> tuple[StoredInvoice, StoredInvoice]:
    """Two invoices that are due for the first stage: one by email, one on paper."""
    await turn_on_reminders(cast, fees=(100, 250, 500), **settings)
    await redo_daily_pass(cast.db, cast.account_id, date(2026, 6, 1), by=BY)
    first = await bill_one(cast, due_days=1, email="ada@example.org", first_name="Ada")
    second = await bill_one(cast, order_id="B", due_days=1, first_name="Bob")
    await pass_on(cast, "2026-06-09")
    return first, second


async def test_stages_are_adopted_changed_and_deleted(owner: Person, acme: Cast) -> None:
    assert "Set up invoices first" in await owner.text("settings", "reminders")
    await turn_on_billing(acme)
    address = owner.address("settings", "reminders")
    assert "Set up the stages" in await owner.text("money", "reminders")
    await owner.send(address, {"do": "adopt"})
    page = text_of(await owner.text("settings", "reminders"))
    assert "Payment reminder 7 days after the due day none" in page
    assert "Never From “Payment reminder” on From “" in page
    sent = await owner.send(address, {"do": "save", "least_amount": "4,50", "hold_stage": "2"})
    assert sent.status_code == 303
    stage = owner.address("settings", "reminders", 2)
    wrong = await owner.send(stage, {"do": "save", "text": "Dear {nobody}"})
    assert "{nobody}" in wrong.text
    wrong = await owner.send(stage, {"do": "save", "days": "x", "fee": "1"})
    assert "Type a number of days" in wrong.text
    preview = await owner.send(stage, {"do": "preview", "fee": "2,50"})
    assert "Fee of this reminder: €2.50" in text_of(preview.text)
    await owner.send(stage, {"do": "save", "fee": "2,50", "is_printed": "y"})
    await owner.send(owner.address("settings", "reminders", 4), {"do": "save", "name": "Last"})
    await owner.send(owner.address("settings", "reminders", 4, "delete"))
    assert (await owner.see("settings", "reminders", 2, "delete")).status_code == 404
    async with acme.db.read() as db:
        known = await stages.list_stages(db, acme.account_id)
        settings = await stages.get_settings(db, acme.account_id)
    assert [(each.fee, each.is_printed) for each in known] == [(0, False), (250, True), (0, False)]
    assert (settings.least_amount, settings.hold_stage) == (450, 2)


async def test_without_a_mail_server_no_test_is_queued(owner: Person, acme: Cast) -> None:
    await two_late(acme)
    address = owner.address("money", "reminders", 1)
    assert 'value="test"' not in (await owner.http.get(address)).text
    refused = await owner.send(address, {"do": "test"})
    assert refused.status_code == 400
    assert "MASTHEAD_SMTP_HOST" in refused.text
    assert await emails_of(acme) == []


@pytest.mark.usefixtures("mail_server")
async def test_a_round_is_checked_sent_and_stopped(owner: Person, acme: Cast) -> None:
    first, second = await two_late(acme, hold_stage=1)
    assert "Reminders to send 2" in text_of(await owner.text())
    page = await owner.text("money", "reminders")
    assert "Payment reminder 7 days after the due day, holds copies 1 1" in text_of(page)
    address = owner.address("money", "reminders", 1)
    page = await owner.text("money", "reminders", 1)
    keys = KEY.findall(page)
    assert len(keys) == 2
    assert "Untick all on this page" in page
    assert f"Invoice {first.document.number}" in page or second.document.number in page
    test = await owner.send(address, {"do": "test"})
    assert test.status_code == 303
    paid = await pay(acme, amount="1.00", invoices=[{"number": first.document.number}])
    assert paid.unused_amount == 0
    refused = await owner.post(address, {**owner.sent, "do": "send", "keep": keys[0]})
    late = await owner.post(address, {**owner.sent, "do": "send", "keep": keys[1]})
    answers = [refused, late]
    assert sorted(each.status_code for each in answers) == [303, 400]
    assert "Nothing has been sent" in next(e.text for e in answers if e.status_code == 400)
    async with acme.db.read() as db:
        [made] = await list_rounds(db, acme.account_id, 9)
    place = ("money", "reminders", "rounds", made.id)
    page = await owner.text(*place)
    assert "Download 1 letter (PDF)" in text_of(page)
    pdf = await owner.see(*place, "pdf")
    assert pdf.content.startswith(b"%PDF")
    letter = re.search(r"/reminders/letters/(\w+)/", page)
    assert letter
    text = await owner.text("money", "reminders", "letters", letter[1])
    assert "Please transfer" in text
    assert "Held subscriptions 1" in text_of(await owner.text())
    held = await owner.text("subscriptions", "held")
    assert f"Invoice {second.document.number} is not paid" in text_of(held)
    invoice = await owner.text("money", "invoices", second.id)
    assert "are held until it is settled" in invoice
    stopped = await owner.send(owner.address(*place, "stop"), opened=owner.address(*place))
    assert stopped.status_code == 303
    assert "stopped before it went out" in await owner.text(*place)
    assert "Held subscriptions" not in text_of(await owner.text())
    assert await faults(acme) == []


@pytest.mark.usefixtures("mail_server")
async def test_names_are_unticked_on_each_page_of_a_round(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confirm_page, "MAX_LISTED", 1)
    await two_late(acme)
    first, second = [each.key for each in await due(acme, 1)]
    address = owner.address("money", "reminders", 1)
    page = await owner.text("money", "reminders", 1)
    assert (BOX.findall(page), HIDDEN.findall(page)) == ([(first, " checked")], [second])
    assert "This is page 1 of 2" in page
    assert "To send: 1 by email, 1 on paper." in text_of(page)
    fields = {name: text for name, text in fields_of(page).items() if name not in ("do", "keep")}
    later = (await owner.post(address, {**fields, "page": "1", "keep": second})).text
    assert (BOX.findall(later), HIDDEN.findall(later)) == ([(second, " checked")], [])
    back = (await owner.post(address, {**fields, "page": "0", "keep": second})).text
    assert (BOX.findall(back), HIDDEN.findall(back)) == ([(first, "")], [second])
    both = (await owner.post(address, {**fields, "page": "2", "keep": first})).text
    assert (BOX.findall(both), HIDDEN.findall(both)) == ([(first, " checked")], [])
    assert await emails_of(acme) == []
    sent = await owner.post(address, {**fields, "do": "send", "keep": second})
    assert sent.status_code == 303
    assert [each.key for each in await due(acme, 1)] == [first]


async def test_printed_reminders_are_marked_as_not_printed(owner: Person, acme: Cast) -> None:
    await two_late(acme)
    keys = KEY.findall(await owner.text("money", "reminders", 1))
    await owner.send(owner.address("money", "reminders", 1), {"do": "print", "keep": keys})
    async with acme.db.read() as db:
        [made] = await list_rounds(db, acme.account_id, 9)
    place = ("money", "reminders", "rounds", made.id)
    here = owner.address(*place)
    undo = "Undo “Mark as printed”"
    assert undo not in await owner.text(*place)
    refused = await owner.send(f"{here}printed/", opened=here)
    assert "There is no PDF of these letters yet. Download it first." in refused.text
    await owner.http.get(f"{here}pdf/")
    await owner.send(f"{here}printed/", opened=here)
    page = await owner.text(*place)
    assert undo in page
    assert f"{here}printed/" not in page
    assert f"{here}stop/" not in page
    done = await owner.send(f"{here}undo-printed/", opened=here)
    page = (await owner.http.get(done.headers["Location"])).text
    assert "2 letters are to be printed again." in page
    assert undo not in page
    assert f"{here}printed/" in page
    assert f"{here}stop/" in page
    trail = text_of(await owner.text("settings", "log"))
    assert "Reminders marked as not printed" in trail
    assert await faults(acme) == []


async def test_days_and_stops_are_agreed_on_the_page_of_the_invoice(
    owner: Person, acme: Cast
) -> None:
    first, second = await two_late(acme)
    address = owner.address("money", "invoices", first.id, "reminders")
    wrong = await owner.send(address, {"what": "promised", "promised_date": "", "reason": "x"})
    assert "Type the day on which the payer has promised to pay." in wrong.text
    alone = {"what": "nothing", "promised_date": "2026-06-19", "reason": "Called"}
    await owner.send(address, alone)
    assert 'value="2026-06-19"' in await owner.text("money", "invoices", first.id, "reminders")
    await owner.send(address, alone)  # the day is not new: its choice was taken back
    assert 'value="2026-06-19"' not in await owner.text("money", "invoices", first.id, "reminders")
    promise = {"what": "promised", "promised_date": "2026-06-20", "reason": "Called"}
    await owner.send(address, promise)
    assert "has promised to pay by" in await owner.text("money", "invoices", first.id)
    payer = owner.address("subscribers", second.payer_id, "account", "reminders")
    assert "Copies that are held stay held" in (await owner.http.get(payer)).text
    wrong = await owner.send(payer, {"is_stopped": "y", "reason": ""})
    assert "Say why" in wrong.text
    await owner.send(payer, {"is_stopped": "y", "reason": "Author"})
    assert "Author" in await owner.text("subscribers", second.payer_id, "account")
    page = text_of(await owner.text("money", "reminders"))
    assert "promised for 20 June 2026: Called" in page
    assert "no reminders to this payer: Author" in page
    off = owner.address("money", "reminders", "write-off") + f"?id={second.id}"
    wrong = await owner.send(off, {"reason": ""})
    assert "Say why" in wrong.text
    done = await owner.post(off.partition("?")[0], {**owner.sent, "reason": "Author"})
    assert done.status_code == 303
    assert (await read_invoice(acme, second.id)).open_amount == 0


async def test_a_fee_is_waived_on_its_page(owner: Person, acme: Cast) -> None:
    await two_late(acme)
    keys = [each.key for each in await due(acme, 1) if each.channel == "print"]
    address = owner.address("money", "reminders", 1)
    await owner.send(address, {"do": "print", "keep": keys[0]})
    [fee] = [each for each in await newest_invoices(acme) if each.kind == "fee"]
    page = await owner.text("money", "invoices", fee.id)
    assert "Reminder fee FEE-2026-00001" in page
    assert "XRechnung" not in page
    assert "Waive the fee" in page
    await owner.send(owner.address("money", "invoices", fee.id, "write-off"), {"reason": "Friend"})
    account = text_of(await owner.text("subscribers", fee.payer_id, "account"))
    assert "Reminder fee waived: Friend" in account
    assert (await owner.see("money", "invoices", fee.id, "pdf")).status_code == 404
    days = {"from": "2026-06-01", "to": "2026-06-30"}
    page = text_of(await owner.text("money", "bookkeeping", **days))
    assert "Reminder fees" in page
    listed = (await acme.get("/v1/invoices/", kind="fee")).json()
    assert [each["number"] for each in listed["items"]] == ["FEE-2026-00001"]


async def test_a_payment_of_a_reminded_invoice_is_for_its_fee_too(
    owner: Person, acme: Cast
) -> None:
    _first, invoice = await two_late(acme)
    keys = [each.key for each in await due(acme, 1) if each.channel == "print"]
    await owner.send(owner.address("money", "reminders", 1), {"do": "print", "keep": keys[0]})
    [fee] = [each for each in await newest_invoices(acme) if each.kind == "fee"]
    page = text_of(await owner.text("money", "invoices", invoice.id))
    assert "Still to pay €60.00 And reminder fees €1.00" in page
    assert "And reminder fees" not in await owner.text("money", "invoices", fee.id)
    number = invoice.document.number
    address = f"{owner.address('money', 'payments', 'new')}?invoice={number}"
    offered = fields_of((await owner.http.get(address)).text)
    assert offered["amount"] == "61.00"
    await owner.post(address, offered)
    assert [(await read_invoice(acme, each.id)).open_amount for each in (invoice, fee)] == [0, 0]


async def test_copies_are_held_and_released_by_hand(owner: Person, acme: Cast) -> None:
    issue = await make_issue(acme)
    made = await make_subscription(acme, first_name="Ada")
    address = owner.address("subscriptions", made["id"], "hold")
    assert "Say why" in (await owner.send(address, {"reason": ""})).text
    await owner.send(address, {"reason": "Moving"})
    page = text_of(await owner.text("subscriptions", made["id"]))
    assert "Held by hand since" in page
    assert "Copies held: Moving" in page
    freeze = text_of(await owner.text("issues", issue["id"], "dispatch"))
    assert "1 copy: an invoice is not paid, or the subscription is held by hand" in freeze
    why = await owner.text("issues", issue["id"], "why", subscriber=made["subscriber"]["id"])
    assert "because a user has held the subscription" in why
    person = text_of(await owner.text("subscribers", made["subscriber"]["id"]))
    assert "held by hand" in person
    await owner.send(owner.address("subscriptions", made["id"], "release"), {"reason": "Back"})
    assert "Held by hand" not in text_of(await owner.text("subscriptions", made["id"]))
    chosen: dict[str, str | list[str]] = {"id": [made["id"]]}
    done = await confirm(owner, "subscriptions", "hold", chosen, reason="Late")
    assert done.status_code == 303, text_of(done.text)
    assert "1 subscription is held" in (await owner.http.get(done.headers["Location"])).text
    await confirm(owner, "subscriptions", "release", chosen, reason="Paid")
    assert "No subscription is held." in await owner.text("subscriptions", "held")


async def test_held_subscriptions_are_listed_in_pages(
    owner: Person, acme: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filters, "PAGE", 2)
    await make_issue(acme)
    for name in ("Ada", "Bob", "Cleo"):
        made = await make_subscription(acme, first_name=name)
        address = owner.address("subscriptions", made["id"], "hold")
        await owner.send(address, {"reason": f"{name} moves"})
    page = await owner.text("subscriptions", "held")
    assert re.findall(r"(\w+) moves", text_of(page)) == ["Ada", "Bob"]
    assert "1–2 of 3 subscriptions" in text_of(page)
    link = re.search(r'href="([^"]+)" rel="next"', page)
    assert link
    later = await owner.http.get(html.unescape(link[1]))
    assert re.findall(r"(\w+) moves", text_of(later.text)) == ["Cleo"]
    assert 'rel="next"' not in later.text
