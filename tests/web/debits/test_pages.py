"""The pages of direct debits: from the settings to what came back."""

import re

import httpx

from masthead.model.debits.rules import DebitStatus
from tests.conftest import Cast
from tests.support.bank import bank_line, import_lines, list_lines
from tests.support.billing import HOME, bill_one, newest_invoices, read_invoice
from tests.support.days import pass_on
from tests.support.debits import (
    CREDITOR_ID,
    DUE,
    IBAN,
    collect_all,
    debit_one,
    list_debits,
    list_mandates,
    make_debtor,
    read_file,
    turn_on_debits,
)
from tests.support.factories import make_subscription
from tests.web.conftest import Person
from tests.web.orders.conftest import TYPED
from tests.web.subscribers.test_pages import words

PAGE = ("money", "debits")
PDF = b"%PDF-1.7\nsigned\n%%EOF\n"


async def send_with_file(
    person: Person, place: tuple[str, ...], fields: dict[str, str], content: bytes
) -> httpx.Response:
    """Send a form that has a file."""
    page = await person.text(*place)
    [token] = re.findall(r'name="idempotency_key" type="hidden" value="([^"]*)"', page)[:1]
    return await person.http.post(
        person.address(*place),
        data={"idempotency_key": token, **fields},
        files={"file": ("mandate.pdf", content, "application/pdf")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )


async def test_settings_refuse_a_wrong_creditor_identifier(owner: Person, acme: Cast) -> None:
    await turn_on_debits(acme)
    place = owner.address("settings", "debits")
    refused = await owner.send(place, {"creditor_id": "DE98ZZZ09999999998", "notice_days": "14"})
    assert refused.status_code == 400
    assert "check digits do not fit" in words(refused)
    saved = await owner.send(place, {"creditor_id": CREDITOR_ID, "notice_days": "2"})
    assert saved.status_code == 303


async def test_core_and_b2b_mandates_become_two_files(owner: Person, acme: Cast) -> None:
    await turn_on_debits(acme)
    person, company = await make_debtor(acme), await make_debtor(acme, company="Acme GmbH")
    typed = {"holder": "Acme", "iban": IBAN, "signed_date": "2026-01-02", "kind": "recurring"}
    for payer, status in ((person, 400), (company, 303)):
        place = ("subscribers", payer, "account", "mandates", "new")
        sent = await send_with_file(owner, place, typed | {"scheme": "b2b"}, PDF)
        assert sent.status_code == status
        assert ("for companies only" in words(sent)) is (status == 400)
    [mandate, _core] = await list_mandates(acme, company)
    own = ("subscribers", company, "account", "mandates", mandate.id)
    assert "between companies" in words(await owner.see(*own))
    made = [await debit_one(acme, each) for each in (person, company)]
    ids = [(await list_debits(acme, each.id))[0].id for each in made]
    await pass_on(acme, "2026-02-27")
    assert "go to the bank in two files" in words(await owner.see(*PAGE, day=DUE))
    [token] = re.findall(
        r'name="idempotency_key" type="hidden" value="([^"]*)"', await owner.text(*PAGE, day=DUE)
    )[:1]
    sent = await owner.http.post(
        owner.address(*PAGE),
        data={"idempotency_key": token, "day": DUE, "debit": ids},
        headers={"Sec-Fetch-Site": "same-origin"},
    )
    page = words(await owner.http.get(sent.headers["Location"]))
    assert "Two files are made, 1 and 2" in page
    assert "2 · B2B" in page


async def test_a_mandate_is_added_with_its_file_and_revoked(owner: Person, acme: Cast) -> None:
    await turn_on_debits(acme)
    payer = (await make_subscription(acme))["subscriber"]["id"]
    place = ("subscribers", payer, "account", "mandates", "new")
    typed = {"holder": "Ann Lee", "signed_date": "2026-01-02", "kind": "recurring"}
    wrong = await send_with_file(owner, place, {**typed, "iban": IBAN[:-1] + "2"}, PDF)
    assert wrong.status_code == 400
    assert "there is a typing error" in words(wrong)
    refused = await send_with_file(owner, place, {**typed, "iban": IBAN}, b"<html>")
    assert refused.status_code == 400
    added = await send_with_file(owner, place, {**typed, "iban": IBAN}, PDF)
    assert added.status_code == 303, added.text
    [mandate] = await list_mandates(acme, payer)
    account = await owner.text("subscribers", payer, "account")
    assert "DE** **** … 2051" in account
    assert IBAN[8:] not in account
    own = ("subscribers", payer, "account", "mandates", mandate.id)
    file = await owner.http.get(owner.address(*own, "file"))
    assert file.content == PDF
    assert file.headers["Content-Disposition"].startswith("attachment")
    other = (await make_subscription(acme))["subscriber"]["id"]
    strange = owner.address("subscribers", other, "account", "mandates", mandate.id, "file")
    assert (await owner.http.get(strange)).status_code == 404
    revoke = owner.address(*own, "revoke")
    assert (await owner.send(revoke, {"day": "2026-01-03", "reason": ""})).status_code == 400
    await owner.send(revoke, {"day": "2026-01-03", "reason": "Letter"})
    page = await owner.text(*own)
    assert "revoked" in page
    assert "Letter" in page
    history = await owner.text("subscribers", payer, "history")
    assert "Mandate revoked" in history


async def test_an_order_by_direct_debit_takes_the_mandate_with_it(
    owner: Person, acme: Cast
) -> None:
    await turn_on_debits(acme)
    place = owner.address("subscriptions", "new")
    debit = {"is_billed": "debit", "due_days": "3", "debit_holder": "Ann Lee"}
    asked = {**TYPED, **debit, "debit_signed": "2026-01-02"}
    missing = await owner.send(place, asked)
    assert "Type the IBAN of the mandate" in words(missing)
    wrong = await owner.send(place, {**asked, "debit_iban": "DE00"})
    assert "This is not an IBAN" in words(wrong)
    both = await owner.send(place, {**asked, "debit_iban": "DE00", "debit_holder": ""})
    assert "This is not an IBAN" in words(both)  # it stands first
    nobody = await owner.send(place, {**asked, "debit_iban": IBAN, "debit_holder": ""})
    assert "Type the account holder, as on the mandate." in words(nobody)
    placed = await owner.send(place, {**asked, "debit_iban": IBAN})
    assert placed.status_code == 303, words(placed)
    [invoice] = await newest_invoices(acme)
    assert invoice.document.debit is not None
    assert len(await list_mandates(acme, invoice.payer_id)) == 1
    place_of_first = placed.headers["Location"]
    page = words(await owner.http.get(place_of_first))
    assert "It is collected by direct debit on" in page
    known = {**asked, "subscriber_id": invoice.payer_id, "email": ""}
    b2b = {**known, "debit_iban": IBAN, "debit_scheme": "b2b", "order_id": "B-1"}
    person = await owner.send(place, b2b)
    assert person.status_code == 400
    assert 'id="debit_scheme-error"' in person.text
    assert "no company is known of this payer" in words(person)
    company = {"is_other_payer": "y", "payer_company": "Byron Ltd", "payer_country": "DE"}
    company |= {f"payer_{name}": value for name, value in HOME.items() if name != "country"}
    placed = await owner.send(place, {**b2b, **company, "medium": "Digital"})
    assert placed.status_code == 303, words(placed)
    [made, _] = await newest_invoices(acme)
    [mandate] = await list_mandates(acme, made.payer_id)
    assert made.document.debit is not None
    assert (mandate.is_b2b, made.document.debit.is_b2b) == (True, True)
    overlaps = place_of_first.strip("/").rpartition("/")[2]
    await owner.send(place, {**known, "order_id": "H-2", "overlaps": overlaps})
    assert len(await newest_invoices(acme)) == 3
    assert len(await list_mandates(acme, invoice.payer_id)) == 1


async def test_what_is_due_is_collected_without_what_was_unticked(
    owner: Person, acme: Cast
) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    kept, out = await debit_one(acme, payer), await debit_one(acme, payer)
    await pass_on(acme, "2026-02-27")
    page = await owner.text(*PAGE)
    assert page.count('name="debit"') == 2
    assert IBAN[8:] not in page
    [debit] = await list_debits(acme, kept.id)
    none = await owner.send(owner.address(*PAGE), {"day": DUE, "debit": ""})
    assert "Nothing is chosen" in words(none)
    sunday = await owner.send(owner.address(*PAGE), {"day": "2026-03-01", "debit": debit.id})
    assert sunday.status_code == 400
    made = await owner.send(owner.address(*PAGE), {"day": DUE, "debit": debit.id})
    assert made.status_code == 303
    again = await owner.send(owner.address(*PAGE), {"day": DUE, "debit": debit.id})
    assert "in another collection in the meantime" in words(again)
    [collected] = await list_debits(acme, kept.id)
    assert collected.collection_id is not None
    assert (await list_debits(acme, out.id))[0].status is DebitStatus.WAITING
    place = (*PAGE, collected.collection_id)
    file = await owner.http.get(owner.address(*place, "file"))
    assert file.content == await read_file(acme, collected.collection_id)
    assert "In the file for the bank" in words(await owner.see(*place))
    assert "In the file for the bank" in words(await owner.see("money", "invoices", kept.id))
    assert file.headers["Content-Disposition"].startswith("attachment")
    await owner.post(owner.address(*place, "send"))
    page = await owner.text(*place)
    assert "It went to the bank on" in page
    assert "In the file for the bank" not in page
    assert "Cancel the collection" not in page
    assert "confirm the credit under “Bank statements”" in page
    await pass_on(acme, DUE)
    await owner.post(owner.address(*place, "book"))
    assert (await read_invoice(acme, kept.id)).open_amount == 0
    for button in ("send", "book"):
        again = await owner.post(owner.address(*place, button))
        assert (again.status_code, 'role="alert"' in again.text) == (400, True), button


async def test_a_collection_is_cancelled_and_its_debits_wait_again(
    owner: Person, acme: Cast
) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    collection = await collect_all(acme)
    assert "waits again" in await owner.text(*PAGE, collection.id, "cancel")
    await owner.send(owner.address(*PAGE, collection.id, "cancel"), {})
    assert (await list_debits(acme, invoice.id))[0].status is DebitStatus.WAITING
    assert "Cancelled on" in await owner.text(*PAGE, collection.id)


async def test_an_invoice_is_marked_with_its_notice_and_taken_out(
    owner: Person, acme: Cast
) -> None:
    await turn_on_debits(acme)
    payer = await make_debtor(acme)
    invoice = await bill_one(acme, subscriber_id=payer)
    place = ("money", "invoices", invoice.id)
    assert "Collect by direct debit" in await owner.text(*place)
    notice = await owner.text(*place, "debit")
    assert "by SEPA direct debit on" in notice
    assert CREDITOR_ID in notice
    await owner.send(owner.address(*place, "debit"), {})
    assert (await list_debits(acme, invoice.id))[0].status is DebitStatus.WAITING
    assert "Do not collect it" in await owner.text(*place)
    await owner.post(owner.address(*place, "debit", "stop"))
    assert (await list_debits(acme, invoice.id))[0].status is DebitStatus.CANCELLED
    again = await owner.post(owner.address(*place, "debit", "stop"))
    assert again.status_code == 400


async def test_a_notice_goes_by_letter_if_no_invoice_and_no_email_says_it(
    owner: Person, acme: Cast
) -> None:
    await turn_on_debits(acme, series="R/{year}-")
    payer = await make_debtor(acme, **HOME)
    invoice = await bill_one(acme, subscriber_id=payer)
    letter = owner.address("money", "invoices", invoice.id, "debit", "letter")
    assert (await owner.http.get(letter)).is_redirect
    assert "There is no notice to print" in words(await owner.see("money", "invoices", invoice.id))
    assert "Print the notices" not in words(await owner.see("money", "debits"))
    page = words(await owner.see("money", "invoices", invoice.id, "debit"))
    assert "Send it by letter" in page
    assert (await owner.send(owner.address("money", "invoices", invoice.id, "debit"))).is_redirect
    page = words(await owner.see("money", "debits"))
    assert "1 payer without an email address is told by letter" in page
    assert "Print the notice (PDF)" in words(await owner.see("money", "invoices", invoice.id))
    for address in (letter, owner.address("money", "debits", "letters")):
        response = await owner.http.get(address)
        assert response.headers["content-type"] == "application/pdf"
        assert response.content.startswith(b"%PDF-")
        named = response.headers["Content-Disposition"]
        assert re.fullmatch(r'attachment; filename="direct-debits?-[0-9R-]+\.pdf"', named)


async def test_a_statement_books_a_collection_and_a_return_is_to_do(
    owner: Person, acme: Cast
) -> None:
    await turn_on_debits(acme)
    invoice = await debit_one(acme, await make_debtor(acme))
    collection = await collect_all(acme)
    await pass_on(acme, "2026-03-05")
    day = collection.collect_date
    await import_lines(acme, bank_line(6000, booking_date=day, reference=f"{collection.id}-RCU"))
    [line] = await list_lines(acme)
    proposed = f"Collection {collection.number}: {invoice.document.number}"
    assert proposed in words(await owner.see("money", "statements"))
    base = ("money", "statements", "lines", line.id)
    assert proposed in words(await owner.see(*base))
    await owner.post(owner.address(*base, "debits"))
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    [debit] = await list_debits(acme, invoice.id)
    back = bank_line(-6000, booking_date=day, reference=debit.id, return_reason="AC04")
    await import_lines(acme, back)
    _first, returned = await list_lines(acme)
    place = owner.address("money", "statements", "lines", returned.id, "return")
    await owner.post(place, {"payment": debit.payment_id or ""})
    assert "Direct debits that came back" in await owner.text()
    page = await owner.text(*PAGE)
    assert "the account is closed (AC04)" in page
    shown = await owner.text("money", "invoices", invoice.id)
    assert "the account is closed (AC04)" in shown
    assert "Direct debit came back" in shown
    assert ">Payment came back</a>" in shown


async def test_the_line_of_a_whole_collection_leads_to_it(owner: Person, acme: Cast) -> None:
    await turn_on_debits(acme)
    for email in ("a@example.org", "b@example.org"):
        await debit_one(acme, await make_debtor(acme, email=email))
    collection = await collect_all(acme)
    await pass_on(acme, "2026-03-05")
    day = collection.collect_date
    await import_lines(acme, bank_line(12000, booking_date=day, reference=f"{collection.id}-RCU"))
    [line] = await list_lines(acme)
    link = f'<a class="nowrap" href="{owner.address(*PAGE, collection.id)}">Collection 1</a>'
    assert f"{link}: 2 invoices" in await owner.text("money", "statements")
    await owner.post(owner.address("money", "statements", "lines", line.id, "debits"))
    assert link in await owner.text("money", "statements", status="matched")
