"""The bookkeeper's page: sums by rate of VAT, what is owed, and the files."""

import csv
import re
from datetime import date

from masthead.model.billing.inputs import PaymentCreate
from masthead.model.billing.vat import VatRate
from masthead.model.validation import decode_input
from masthead.services.accounts import update_account
from masthead.services.billing.balances import pay_back
from masthead.services.billing.credit_orders import credit_invoice
from masthead.services.billing.payments import ReceivedPayment, create_payment
from masthead.services.billing.settings import save_rate
from masthead.services.billing.undo import undo_payment
from tests.conftest import BY, Cast
from tests.services.billing.test_vat_days import start
from tests.support.billing import bill, bill_one, read_invoice, set_exchange_rate, turn_on_billing
from tests.web.conftest import Person
from tests.web.revenue.test_takings import rows_of
from tests.web.subscribers.test_pages import words


async def test_sales_are_shown_by_country_and_rate(acme: Cast, staff: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    day = invoice.document.issue_date.isoformat()
    await bill(acme, is_billed=False, price="10.70", order_date=day)
    days = {"from": day, "to": day}
    page = await staff.text("money", "bookkeeping", **days)
    assert ["Germany", "taxed, 7%", "€66.07", "€4.63", "€70.70"] in rows_of(page)
    assert ["EUR", "€0.00", "€60.00", *["€0.00"] * 4, "€60.00"] in rows_of(page)
    file = await staff.see("money", "bookkeeping", "journal", "csv", **days)
    rows = list(csv.DictReader(file.text.removeprefix("\ufeff").splitlines()))
    assert [(row["debit_account"], row["credit_account"], row["amount"]) for row in rows] == [
        ("receivables", "sales", "56.07"),
        ("receivables", "VAT", "3.93"),
        ("orders paid at once", "sales", "10.00"),
        ("orders paid at once", "VAT", "0.70"),
    ]


async def test_what_came_in_has_the_rates_of_what_it_pays(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme, digital_percent=50)
    invoice = await bill_one(acme, medium="Print + digital", price="42.80")  # 21.40 at each rate
    day, account = invoice.document.issue_date.isoformat(), (acme.db, acme.account_id)
    days, number = {"from": day, "to": day}, invoice.document.number

    async def read() -> dict[tuple[str, str], tuple[str, ...]]:
        file = await owner.see("money", "bookkeeping", "taken", "csv", **days)
        rows = csv.DictReader(file.text.removeprefix("\ufeff").splitlines())
        return {
            (row["country"], row["vat_rate"] or row["vat_category"]): (
                row["net"],
                row["vat"],
                row["total"],
            )
            for row in rows
        }

    async def pay(amount: str, **fields: object) -> str:
        body = decode_input(PaymentCreate, {"amount": amount, "payer": invoice.payer_id, **fields})
        return await create_payment(*account, body, by=BY)

    assert await read() == {}
    await pay("10.00", invoices=[{"number": number}])
    assert await read() == {
        ("DE", "19.00"): ("4.20", "0.80", "5.00"),
        ("DE", "7.00"): ("4.67", "0.33", "5.00"),
    }
    wrong = await pay("32.80")
    await undo_payment(*account, wrong, by=BY)
    await pay("40.00")
    await bill(acme, order_id="P", is_billed=False, price="10.70", order_date=day)
    whole = {
        ("DE", "19.00"): ("17.98", "3.42", "21.40"),
        ("DE", "7.00"): ("30.00", "2.10", "32.10"),
    }
    assert await read() == whole | {("", "for no invoice yet"): ("7.20", "0.00", "7.20")}
    note = await credit_invoice(*account, invoice.id, amount=None, reason="Late", by=BY)
    assert await read() == whole | {("", "for no invoice yet"): ("7.20", "0.00", "7.20")}
    back = ReceivedPayment(
        payer_id=invoice.payer_id,
        payment_date=invoice.document.issue_date,
        amount=50_00,
        currency="EUR",
    )
    await pay_back(*account, back, by=BY)
    assert (await read_invoice(acme, note)).open_amount == 0
    assert await read() == {
        ("DE", "19.00"): ("0.00", "0.00", "0.00"),
        ("DE", "7.00"): ("10.00", "0.70", "10.70"),
    }


async def test_a_file_is_in_the_language_of_its_reader(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    day = (await bill_one(acme)).document.issue_date.isoformat()
    await owner.post("/you/locale/", {"locale": "de_DE"})
    file = await owner.see("money", "bookkeeping", "vat", "csv", **{"from": day, "to": day})
    assert "Deutschland;steuerpflichtig" in file.text


async def test_a_file_for_datev_needs_the_numbers_of_accounts(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    day = (await bill_one(acme)).document.issue_date.isoformat()
    days = {"from": day, "to": day}
    refused = await owner.see("money", "bookkeeping", "datev", **days)
    assert refused.status_code == 400
    assert "“Number of the consultant (Beraternummer)” is missing" in refused.text
    assert '<details id="accounts" open>' in refused.text
    page = await owner.text("money", "bookkeeping", chart="SKR03", **days)
    assert 'value="8300"' in page
    address = owner.address("money", "bookkeeping", "accounts")
    answer = await owner.post(address, {"number_sales_standard_700": "83x0"})
    assert answer.status_code == 400
    assert "83x0" in answer.text
    head = {"number_consultant": "29098", "number_client": "55003"}
    saved = await owner.post(f"{address}?from={day}&to={day}", head)
    assert saved.headers["Location"].endswith(f"/money/bookkeeping/?from={day}&to={day}")
    refused = await owner.see("money", "bookkeeping", "datev", **days)
    assert refused.status_code == 400
    assert "“Sales, taxed, 7%” is missing" in refused.text
    await owner.post(address, {**head, "number_sales_standard_700": "8300"})
    file = await owner.see("money", "bookkeeping", "datev", **days)
    assert file.headers["Content-Type"] == "text/csv; charset=windows-1252"
    assert file.content.startswith(b'"EXTF";700;21;')
    assert b";10001;8300;" in file.content


async def test_a_file_for_datev_has_the_one_stop_shop_apart_and_one_currency(
    acme: Cast, owner: Person
) -> None:
    await turn_on_billing(acme)
    rate = VatRate(first_day=date(2020, 1, 1), place="FR", rate=700)
    await save_rate(acme.db, acme.account_id, rate, by=BY)
    day = (await bill_one(acme, order_id="A")).document.issue_date.isoformat()
    await bill_one(acme, order_id="B", country="FR", email="b@example.org")
    days = {"from": day, "to": day}
    only = "The file for DATEV has only amounts in EUR"
    assert only not in await owner.text("money", "bookkeeping", **days)
    await set_exchange_rate(acme)
    await bill_one(acme, order_id="C", currency="CHF", email="c@example.org")
    assert only in await owner.text("money", "bookkeeping", **days)
    head = {"number_consultant": "29098", "number_client": "55003"}
    accounts = owner.address("money", "bookkeeping", "accounts")
    await owner.post(accounts, {**head, "number_sales_standard_700": "8300"})
    refused = await owner.see("money", "bookkeeping", "datev", **days)
    assert "“Sales, one-stop shop (OSS)” is missing" in refused.text
    assert 'value="8320"' in await owner.text("money", "bookkeeping", chart="SKR03", **days)
    numbers = {"number_sales_standard_700": "8300", "number_sales_oss": "8320"}
    await owner.post(accounts, head | numbers)
    file = await owner.see("money", "bookkeeping", "datev", **days)
    assert [line.split(b";")[6:8] for line in file.content.splitlines()[2:]] == [
        [b"10001", b"8300"],
        [b"10002", b"8320"],
    ]
    journal = await owner.see("money", "bookkeeping", "journal", "csv", **days)
    assert ",8320,56.07,EUR,taxed," in journal.text
    assert ",56.07,CHF,taxed," in journal.text


async def test_countries_and_percents_are_written_as_people_read_them(
    acme: Cast, owner: Person
) -> None:
    await turn_on_billing(acme)
    day = (await bill_one(acme)).document.issue_date
    for country in ("CH", "AT"):
        rate = VatRate(first_day=date(2020, 1, 1), place=country, rate=1000)
        await save_rate(acme.db, acme.account_id, rate, by=BY)
        await bill_one(acme, country=country)
    days = {"from": str(day), "to": str(day)}
    page = words(await owner.see("money", "bookkeeping", **days))
    assert "EUR Country" not in page  # there is one currency
    places = [page.index(name) for name in ("Austria", "Germany", "Switzerland")]
    assert places == sorted(places)
    await update_account(acme.db, acme.account_id, locale="de_DE", by=BY)
    page = words(await owner.see("money", "bookkeeping", **days))
    places = [page.index(name) for name in ("Deutschland", "Österreich", "Schweiz")]
    assert places == sorted(places)
    assert "Erlöse, steuerpflichtig, 7 %" in page
    assert "0,00 %" not in page


async def test_what_was_sold_is_added_up_for_each_currency(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    day = "2026-02-03"
    for order, currency, price in (
        ("A", "CHF", "20.00"),
        ("B", "EUR", "10.70"),
        ("C", "EUR", "10.70"),
        ("D", "USD", "30.00"),
    ):
        fields = {"order_date": day, "currency": currency, "price": price, "order_id": order}
        country = "AT" if order == "C" else "DE"
        await bill(acme, is_billed=False, country=country, email=f"{order}@example.test", **fields)
    shown = await owner.see("money", "bookkeeping", **{"from": day, "to": day})
    assert re.findall(r'<details class="currency">\s*<summary><h3 id="sold-(...)"', shown.text) == [
        "CHF",
        "USD",
    ]
    page = words(shown)
    rates = "taxed, 7% €10.00 €0.70 €10.70 no rate in the settings €10.70 €0.00 €10.70"
    others = "CHF Total: CHF.*20.00 Country .* USD Total"
    totals = f"EUR .* Total €20.70 €0.70 €21.40 Of that {rates} {others}"
    assert re.search(totals, page), page


async def test_a_changed_rate_has_a_file_of_the_orders_that_it_concerns(
    acme: Cast, owner: Person
) -> None:
    days = {"from": "2026-07-01", "to": "2026-07-31"}
    await start(acme, "2026-08-20")
    before = await owner.text("money", "bookkeeping", **{"from": "2026-05-01", "to": "2026-05-31"})
    assert "Paid at once, and supplied" not in before
    await bill(acme, is_billed=False, price="109", order_date="2026-05-02", start_issue=2, length=3)
    page = await owner.text("money", "bookkeeping", **days)
    assert "Paid at once, and supplied at another rate of VAT" in page
    file = await owner.see("money", "bookkeeping", "vat-changes", "csv", **days)
    [row] = csv.DictReader(file.text.removeprefix("\ufeff").splitlines())
    workbook = await owner.see("money", "bookkeeping", "vat-changes", "xlsx", **days)
    assert workbook.content.startswith(b"PK")
    shown = (
        "order_date supplied_to vat_rate_paid vat_rate_supplied vat_paid vat_supplied difference"
    )
    assert [row[name] for name in shown.split()] == [
        "2026-05-02",
        "2026-07-15",
        "7.00",
        "9.00",
        "7.13",
        "9.00",
        "1.87",
    ]
