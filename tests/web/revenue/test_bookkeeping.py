"""The bookkeeper's page: sums by rate of VAT, what is owed, and the files."""

import csv
from datetime import date

from masthead.model.billing.vat import VatRate
from masthead.services.accounts import update_account
from masthead.services.billing.settings import save_rate
from tests.conftest import BY, Cast
from tests.support.billing import bill, bill_one, turn_on_billing
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
    assert "<details open>" in refused.text
    page = await owner.text("money", "bookkeeping", chart="SKR03", **days)
    assert 'value="8300"' in page
    address = owner.address("money", "bookkeeping", "accounts")
    answer = await owner.post(address, {"number_sales_standard_700": "83x0"})
    assert answer.status_code == 400
    assert "83x0" in answer.text
    numbers = {"sales_standard_700": "8300", "consultant": "29098", "client": "55003"}
    data = {f"number_{name}": number for name, number in numbers.items()}
    saved = await owner.post(f"{address}?from={day}&to={day}", data)
    assert saved.headers["Location"].endswith(f"/money/bookkeeping/?from={day}&to={day}")
    file = await owner.see("money", "bookkeeping", "datev", **days)
    assert file.headers["Content-Type"] == "text/csv; charset=windows-1252"
    assert file.content.startswith(b'"EXTF";700;21;')
    assert b";10001;8300;" in file.content


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
    places = [page.index(name) for name in ("Austria", "Germany", "Switzerland")]
    assert places == sorted(places)
    await update_account(acme.db, acme.account_id, locale="de_DE", by=BY)
    page = words(await owner.see("money", "bookkeeping", **days))
    places = [page.index(name) for name in ("Deutschland", "Österreich", "Schweiz")]
    assert places == sorted(places)
    assert "7,00" in page
    assert "7.00 %" not in page
