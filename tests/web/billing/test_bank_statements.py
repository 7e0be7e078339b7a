"""The pages of bank statements."""

import csv
import io
import re

import httpx

from tests.conftest import Cast
from tests.services.billing.test_future_lines import one_booked_later
from tests.support.bank import DAY, FILES, bank_line, import_lines, list_lines
from tests.support.billing import bill_one, read_invoice, turn_on_billing
from tests.web.conftest import Person

PAGE = ("money", "statements")
ANNA = {"first_name": "Anna", "last_name": "Müller", "email": "anna@example.org"}


async def upload(person: Person, name: str, content: bytes) -> httpx.Response:
    """Send a file as the form does."""
    page = await person.text(*PAGE)
    [token] = re.findall(r'name="idempotency_key" type="hidden" value="([^"]*)"', page)[:1]
    return await person.http.post(
        person.address(*PAGE),
        data={"idempotency_key": token},
        files={"file": (name, content, "text/xml")},
        headers={"Sec-Fetch-Site": "same-origin"},
    )


def buttons(page: str, action: str) -> list[str]:
    """The forms of a page with an action that ends so."""
    forms = re.findall(r"<form[^>]*>.*?</form>", page, re.DOTALL)
    return [form for form in forms if f'/{action}/"' in form]


async def press(person: Person, form: str) -> httpx.Response:
    """Send a form with its hidden fields."""
    [address] = re.findall(r'action="([^"]*)"', form)[:1]
    fields = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', form)
    fields += re.findall(r'name="(idempotency_key)" type="hidden" value="([^"]*)"', form)
    data: dict[str, list[str]] = {}
    for name, value in fields:
        data.setdefault(name, []).append(value)
    return await person.http.post(address, data=data, headers={"Sec-Fetch-Site": "same-origin"})


async def test_a_statement_is_uploaded_and_its_sure_payments_confirmed(
    acme: Cast, owner: Person
) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, price="49.00", **ANNA)
    content = (FILES / "camt_02.xml").read_text(encoding="utf-8")
    content = re.sub("2026-11-0[234]", DAY.isoformat(), content)
    content = content.replace("2026-00012", invoice.document.number)
    sent = await upload(owner, "november.xml", content.encode())
    assert sent.status_code == 303, sent.text
    page = await owner.text(*PAGE)
    assert "4 new lines" in page
    assert "1 line is not booked yet" in page
    assert "DE02…2051" in page
    assert "0532013000" not in page
    assert "the account is closed (AC04)" in page
    [confirm] = buttons(page, "statements/confirm")
    assert "Confirm the sure payment" in confirm
    assert (await press(owner, confirm)).status_code == 303
    assert (await read_invoice(acme, invoice.id)).open_amount == 0
    page = await owner.text(*PAGE)
    assert "1 payment is recorded." in page
    assert "in the meantime" not in page
    assert not buttons(page, "statements/confirm")
    again = await upload(owner, "november.xml", content.encode())
    assert again.status_code == 303
    assert "was imported before" in await owner.text(*PAGE)
    assert len(await list_lines(acme)) == 4


async def test_lines_name_the_invoices_that_they_pay(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, price="49.00", **ANNA)
    number = invoice.document.number
    link = f'<a class="nowrap" href="{owner.address("money", "invoices", invoice.id)}">{number}</a>'
    await import_lines(acme, bank_line(4900, text=number, reference="E2E-9"))
    assert link in await owner.text(*PAGE)  # proposed
    [line] = await list_lines(acme)
    assert link in await owner.text(*PAGE, "lines", line.id)
    assert (await press(owner, buttons(await owner.text(*PAGE), "confirm")[-1])).status_code == 303
    assert link not in await owner.text(*PAGE)
    assert link in await owner.text(*PAGE, status="matched")
    assert link in await owner.text("money", "payments")
    await import_lines(acme, bank_line(-4900, reference="E2E-9", return_reason="MD06"))
    [back] = await list_lines(acme, status="open")
    [form] = buttons(await owner.text(*PAGE, "lines", back.id), "return")
    sent = await press(owner, form.replace('type="radio"', 'type="hidden"'))
    assert sent.status_code == 303
    for page in (await owner.text(*PAGE, status="matched"), await owner.text("money", "payments")):
        assert page.count(link) == 2  # the payment, and its return
    for name, filters in (("bank-lines", {"status": "matched"}), ("payments", {})):
        file = await owner.see("downloads", name, "csv", **filters)
        rows = csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff")))
        assert [row["invoices"] for row in rows] == [number, number]


async def test_a_file_that_cannot_be_used_is_refused_and_nothing_is_stored(
    acme: Cast, owner: Person
) -> None:
    sent = await upload(owner, "cut.xml", (FILES / "camt_02.xml").read_bytes()[:2000])
    assert sent.status_code == 400
    assert "part of it is missing" in sent.text
    assert not await list_lines(acme)


async def test_another_invoice_is_chosen_by_search(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    await bill_one(acme, order_id="B", email="b@example.org", first_name="Bob", last_name="Lee")
    await import_lines(acme, bank_line(500, name="Somebody", text="thanks"))
    [line] = await list_lines(acme)
    at = (*PAGE, "lines", line.id)
    assert "No open invoice has this number" in await owner.text(*at)
    page = await owner.text(*at, search="MÜLLER")
    assert "Bob Lee" not in page
    assert invoice.document.number in await owner.text(*at, search=invoice.document.number[-5:])
    [form] = [each for each in buttons(page, "confirm") if "checkbox" in each]
    assert (await press(owner, form)).status_code == 400  # nothing is chosen
    chosen = form.replace('type="checkbox"', 'type="hidden"')
    assert (await press(owner, chosen)).status_code == 303
    assert (await read_invoice(acme, invoice.id)).open_amount == 5500


async def test_the_lines_of_a_status_are_a_file(acme: Cast, owner: Person) -> None:
    await import_lines(
        acme,
        bank_line(500, name="Somebody", text="thanks"),
        bank_line(-4900, name="Anna", return_reason="AC04"),
    )
    assert "downloads/bank-lines/csv/?status=open" in await owner.text(*PAGE)
    file = await owner.see("downloads", "bank-lines", "csv", status="open")
    came_back, paid = csv.DictReader(io.StringIO(file.text.removeprefix("\ufeff")))
    assert (paid["payer"], paid["amount"], paid["text"]) == ("Somebody", "5.00", "thanks")
    assert (paid["payment_date"], paid["status"], paid["reason"]) == (DAY.isoformat(), "To do", "")
    assert (came_back["amount"], came_back["reason"]) == ("-49.00", "the account is closed (AC04)")
    other = await owner.see("downloads", "bank-lines", "csv", status="matched")
    assert len(other.text.splitlines()) == 1


async def test_a_line_that_somebody_else_has_confirmed_says_so(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    await import_lines(acme, bank_line(text=invoice.document.number))
    [line] = await list_lines(acme)
    first = buttons(await owner.text(*PAGE), "confirm")[-1]
    second = buttons(await owner.text(*PAGE), "confirm")[-1]
    assert (await press(owner, first)).status_code == 303
    late = await press(owner, second)
    assert late.status_code == 400
    assert "was recorded before. Nothing was changed." in late.text
    page = await owner.text(*PAGE, "lines", line.id)
    [undo] = buttons(page, "reopen")
    assert (await press(owner, undo)).status_code == 303
    assert (await read_invoice(acme, invoice.id)).open_amount == 6000


async def test_an_invoice_that_was_paid_twice_becomes_credit(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    number = invoice.document.number
    await import_lines(acme, bank_line(text=number), bank_line(text=f"{number} again"))
    for _payment in range(2):
        [line, *_others] = await list_lines(acme, status="open")
        page = await owner.text(*PAGE, "lines", line.id)
        forms = buttons(page, "confirm")
        if len(forms) == 1 and "radio" in forms[0]:
            assert f"the text names {number}, which is settled" in forms[0]
        sent = await press(owner, forms[0].replace('type="radio"', 'type="hidden"'))
        assert sent.status_code == 303
    rows = await acme.db.fetch_all(
        "SELECT unused_amount, payer_id FROM payment WHERE account_id = :account_id ORDER BY id",
        {"account_id": acme.account_id},
    )
    assert [tuple(dict(row).values()) for row in rows] == [
        (0, invoice.payer_id),
        (6000, invoice.payer_id),
    ]


async def test_a_line_is_left_out_with_a_reason(acme: Cast, owner: Person) -> None:
    await import_lines(acme, bank_line(name="Finanzamt"))
    [line] = await list_lines(acme)
    at = owner.address(*PAGE, "lines", line.id, "leave-out")
    opened = owner.address(*PAGE, "lines", line.id)
    assert (await owner.send(at, {"reason": " "}, opened=opened)).status_code == 400
    assert (await owner.send(at, {"reason": "Tax refund"}, opened=opened)).status_code == 303
    assert "Tax refund" in await owner.text(*PAGE, status="ignored")


async def test_a_return_opens_its_invoice(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme, **ANNA)
    await import_lines(acme, bank_line(text=invoice.document.number, reference="E2E-9"))
    assert (await press(owner, buttons(await owner.text(*PAGE), "confirm")[-1])).status_code == 303
    await import_lines(acme, bank_line(-6000, reference="E2E-9", return_reason="MD06"))
    [line] = await list_lines(acme, status="open")
    page = await owner.text(*PAGE, "lines", line.id)
    assert "the payer asked for it back (MD06)" in page
    [form] = buttons(page, "return")
    assert "the return names it" in form
    done = await press(owner, form.replace('type="radio"', 'type="hidden"'))
    assert done.status_code == 303
    assert (await read_invoice(acme, invoice.id)).open_amount == 6000


async def test_the_page_confirms_only_what_is_booked(owner: Person, acme: Cast) -> None:
    await one_booked_later(acme)
    page = await owner.text("money", "statements")
    assert "Confirm the sure payment" in page
    booked, later = (each.id for each in await list_lines(acme))
    assert f'name="line" value="{booked}"' in page
    assert f'name="line" value="{later}"' not in page
