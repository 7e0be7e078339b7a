"""The pages of revenue statements."""

import csv
import html
import re
from datetime import date

import pytest

from masthead.services.revenue import statements as service
from masthead.store.engine.interface import Transaction
from masthead.store.revenue import statements as store
from masthead.web.revenue.statements import usual_days
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import import_row, make_issue
from tests.support.revenue import DAY, add_refund, make_orders
from tests.web.conftest import Person
from tests.web.reports.test_home import words
from tests.web.revenue.test_takings import links_of, rows_of


async def make(person: Person, day: str = DAY.isoformat()) -> str:
    """Make a statement by the form; returns its address."""
    response = await person.send(person.address("money", "deferred"), {"day": day})
    assert response.status_code == 303, response.text
    return response.headers["Location"]


async def test_a_statement_is_made_and_shown(acme: Cast, staff: Person) -> None:
    await make_orders(acme)
    page = (await staff.http.get(await make(staff))).text
    assert "Deferred revenue on 30 June 2026" in page
    rows = rows_of(page)
    assert ["Issue 3", "5", "€37.67"] in rows
    assert ["Issues not yet announced", "2", "€33.34"] in rows
    first = rows.index(["Issue", "Copies", "Deferred"])
    last = next(place for place, row in enumerate(rows) if place > first and row[0] == "Total")
    copies = [int(row[1] or 0) for row in rows[first + 1 : last + 1]]
    assert copies[-1] == sum(copies[:-1]) > 5
    assert ["Kept after cancellation", "€60.00", "€71.00", "€131.00"] in rows
    assert page.index('<h2 id="currency-EUR"') < page.index('<h2 id="currency-USD"')


async def test_an_order_on_an_open_invoice_is_sold(acme: Cast, staff: Person) -> None:
    await turn_on_billing(acme)
    invoice = await bill_one(acme)
    page = (await staff.http.get(await make(staff, str(invoice.document.issue_date)))).text
    assert "Orders count from their day on, even if they are not paid yet." in page
    assert "Deferred: sold, but not yet sent, without VAT" in page
    assert rows_of(page)[-1] == ["Total sold", "€60.00", "€0.00", "€60.00"]


async def test_every_figure_leads_to_orders_that_add_up_to_it(acme: Cast, staff: Person) -> None:
    await make_orders(acme)
    page = (await staff.http.get(await make(staff))).text
    links = re.findall(r'<a href="([^"]+/orders/\?[^"]+)">([^<]+)</a>', page)
    assert len(links) > 20
    for address, shown in links:
        listed = (await staff.http.get(html.unescape(address))).text
        total = re.search(r"<dt>Total</dt><dd>([^<]+)</dd>", listed)
        assert total is not None
        assert total[1] == shown
        parts = [cents(row[-1]) for row in rows_of(listed)[1:]]
        assert sum(parts) == cents(html.unescape(shown)), address


def cents(text: str) -> int:
    return int(re.sub(r"[^0-9-]", "", text))


async def test_the_form_keeps_a_wrong_day(staff: Person) -> None:
    for day, message in (
        ("31.12.2026", "“31.12.2026” is not a day. Type it like 2026-12-31."),
        ("", "Choose a day."),
    ):
        response = await staff.send(staff.address("money", "deferred"), {"day": day})
        assert response.status_code == 400
        assert message in response.text
        assert f'value="{day}"' in response.text


async def test_the_same_form_sent_twice_makes_one_statement(acme: Cast, staff: Person) -> None:
    address = await make(staff)
    again = await staff.post(staff.address("money", "deferred"), staff.sent)
    assert again.headers["Location"] == address
    rows = rows_of(await staff.text("money", "deferred"))
    assert len(rows) == 2


async def test_a_day_leads_to_its_statement_or_to_the_form(acme: Cast, staff: Person) -> None:
    assert "no statement for this day yet" in await staff.text(
        "money", "deferred", day="2026-06-30"
    )
    address = await make(staff)
    response = await staff.see("money", "deferred", day="2026-06-30")
    assert response.headers["Location"] == address
    wrong = await staff.text("money", "deferred", day="soon")
    assert 'value="soon"' in wrong


async def test_the_list_has_the_sums_of_each_currency(acme: Cast, staff: Person) -> None:
    await make_orders(acme)
    await make(staff)
    await make(staff, "2025-12-31")
    header, older, newer = rows_of(await staff.text("money", "deferred"))
    assert header[0] == "Day"
    assert older[0] == "31 December 2025"
    assert "US$30.00" in newer[2]


async def test_files_are_served_as_they_were_stored(acme: Cast, staff: Person) -> None:
    await make_orders(acme)
    address = await make(staff)
    first = [(await staff.http.get(address + path)).content for path in ("csv/", "orders/csv/")]
    await add_refund(acme, "PLAIN", "2026-01-20", 100)
    second = [(await staff.http.get(address + path)).content for path in ("csv/", "orders/csv/")]
    assert first == second
    assert b"issues not yet announced" in first[0]
    assert b"PLAIN" in first[1]


async def test_a_comparison_names_the_orders_that_differ(acme: Cast, staff: Person) -> None:
    await make_orders(acme)
    address = await make(staff)
    same = await staff.send(f"{address}again/", opened=address)
    assert "The statements are the same" in (await staff.http.get(same.headers["Location"])).text
    await add_refund(acme, "PLAIN", "2026-01-20", 100)
    await import_row(acme, order_id="FOUND", start_issue="1", length="4")
    other = await staff.send(f"{address}again/", opened=address)
    page = (await staff.http.get(other.headers["Location"])).text
    assert "2 orders differ" in page
    rows = dict(rows_of(page)[1:])
    assert rows["PLAIN"] == "refunds: 0.00 → 1.00; deferred: 21.00 → 20.00"
    assert rows["FOUND"] == "The first statement did not have this order."


async def test_statements_of_different_days_are_not_compared(acme: Cast, staff: Person) -> None:
    address = await make(staff)
    other = (await make(staff, "2025-12-31")).rstrip("/").rpartition("/")[2]
    response = await staff.http.get(f"{address}compare/", params={"with": other})
    assert response.status_code == 400
    assert "of different days" in response.text


async def test_with_many_orders_the_page_waits_for_the_background(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_orders(acme)
    first = await make(staff)
    monkeypatch.setattr(service, "SMALL", 1)
    address = await make(staff, "2026-06-29")
    page = (await staff.http.get(address)).text
    assert "The figures are being calculated" in page
    assert 'http-equiv="refresh"' in page
    assert (await staff.http.get(f"{address}csv/")).status_code == 404
    assert "Being calculated" in await staff.text("money", "deferred")
    asked = {"HX-Request": "true", "HX-Target": "waiting"}
    part = await staff.http.get(address, headers=asked)
    assert "HX-Refresh" not in part.headers
    id = address.rstrip("/").rpartition("/")[2]
    await service.make_statement(acme.db, acme.account_id, id)
    part = await staff.http.get(address, headers=asked)
    assert part.headers["HX-Refresh"] == "true"
    assert "Calculated on" in (await staff.http.get(address)).text
    compared = await staff.send(f"{first}again/", opened=first)
    waiting = (await staff.http.get(compared.headers["Location"])).text
    assert "The figures are being calculated" in waiting


async def test_a_failed_statement_offers_another_attempt(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_orders(acme)
    monkeypatch.setattr(service, "SMALL", 1)
    address = await make(staff)
    id = address.rstrip("/").rpartition("/")[2]

    async def work(tx: Transaction) -> None:
        await store.fail_statement(tx, acme.account_id, id, "its process ended")

    await acme.db.write(work, account_id=acme.account_id)
    page = (await staff.http.get(address)).text
    assert "its process ended" in page
    assert "Failed" in await staff.text("money", "deferred")
    (again,) = links_of(page, "Try again")
    assert "no statement for this day yet" in (await staff.http.get(again)).text


async def test_an_empty_statement_says_so(staff: Person) -> None:
    assert "There were no orders by that day." in (await staff.http.get(await make(staff))).text


async def test_a_figure_that_the_statement_does_not_have(acme: Cast, staff: Person) -> None:
    await make_orders(acme)
    address = await make(staff)
    unknown = await staff.http.get(f"{address}orders/", params={"currency": "GBP"})
    assert unknown.status_code == 400
    assert "no orders in GBP" in unknown.text
    for query in (
        {"figure": "kept_after_cancellation", "issue": "1"},
        {"figure": "earned", "group": "later"},
        {"figure": "earned", "issue": "999"},
    ):
        page = await staff.http.get(f"{address}orders/", params={"currency": "EUR", **query})
        assert "No order is part of this figure." in page.text
    odd = await staff.http.get(
        f"{address}orders/", params={"currency": "EUR", "figure": "x", "group": "y"}
    )
    assert "Total sold" in odd.text


async def test_what_each_issue_earned(acme: Cast, staff: Person) -> None:
    assert "Make a statement first" in await staff.text("money", "issues")
    assert (await staff.see("money", "issues", "csv")).status_code == 404
    await make_orders(acme)
    await make(staff)
    page = await staff.text("money", "issues")
    rows = rows_of(page)
    assert rows[1:3] == [
        ["Issue 2", "5", "€38.67", "€7.73"],
        ["Issue 1", "6", "€68.66", "€11.44"],
    ]
    assert ["No copies were sent by that day."] in rows
    content = await staff.text("money", "issues", "csv")
    assert "2026-06-30,EUR,2,Issue 2,5,38.67,7.73\r\n" in content


async def test_earnings_by_a_chosen_statement(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_orders(acme)
    older = (await make(staff, "2026-01-15")).rstrip("/").rpartition("/")[2]
    await make(staff)
    assert "As of 15 January 2026." in await staff.text("money", "issues", statement=older)
    monkeypatch.setattr(service, "SMALL", 1)
    waiting = (await make(staff, "2026-02-15")).rstrip("/").rpartition("/")[2]
    response = await staff.see("money", "issues", statement=waiting)
    assert response.status_code == 404


async def test_the_audit_log_leads_to_the_statement(acme: Cast, owner: Person) -> None:
    address = await make(owner)
    page = await owner.text("settings", "log")
    assert "Revenue statement made" in page
    assert address in page


async def test_a_day_to_come_gives_a_forecast(acme: Cast, staff: Person) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-02")
    await make_issue(acme, 2, release_date_actual="2099-06-01")
    await import_row(acme, start_issue="1", length="4", price="42.00", sent_issues="1")
    address = staff.address("money", "deferred")
    response = await staff.send(address, {"day": "2099-12-31"})
    assert response.status_code == 303
    page = (await staff.http.get(response.headers["Location"])).text
    assert "Deferred revenue expected on 31 December 2099" in page
    assert "Expected, not final." in page
    assert rows_of(page)[-1] == ["Total", "2", "€21.00"]  # issues 3 and 4 of 4
    listed = await staff.text("money", "deferred")
    assert "no statements yet" in listed
    assert "downloads/revenue-statements" not in listed
    assert "what you still owe to readers" in listed
    file = await staff.see("money", "deferred", "forecast", "csv", day="2099-12-31")
    disposition = file.headers["content-disposition"]
    assert 'filename="deferred-revenue-forecast-2099-12-31.csv"' in disposition
    rows = list(csv.DictReader(file.text.lstrip("\ufeff").splitlines()))
    assert {row["note"] for row in rows} == {rows[0]["note"]}
    assert rows[0]["note"].startswith("Expected, calculated on")
    assert [
        (row["group"], row["part_of"], row["copies_not_sent"], row["deferred"]) for row in rows
    ] == [
        ("Total", "", "2", "21.00"),
        ("Issue subscriptions", "Total", "", "21.00"),
        ("Memberships", "Total", "", "0.00"),
        ("Issue", "Issue subscriptions", "0", "0.00"),
        ("Issue", "Issue subscriptions", "0", "0.00"),
        ("Issues not yet announced", "Issue subscriptions", "2", "21.00"),
    ]


async def test_a_forecast_of_many_orders_opens_without_its_figures(
    acme: Cast, staff: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-02")
    await import_row(acme, start_issue="1", length="4", price="42.00", sent_issues="1")
    monkeypatch.setattr(service, "SMALL", 0)
    page = await staff.text("money", "deferred", "forecast", day="2099-12-31", paid="")
    assert "The figures are being worked out from all orders" in page
    assert "€" not in page
    [figures] = set(re.findall(r'hx-get="([^"]+)"', page))
    asked = {"HX-Request": "true", "HX-Target": "figures"}
    part = (await staff.http.get(html.unescape(figures), headers=asked)).text
    assert rows_of(part)[-1][2] == "€31.50"  # issues 2 to 4 of 4
    assert "<h1>" not in part
    whole = (await staff.http.get(html.unescape(figures))).text
    assert rows_of(whole) == rows_of(part)
    assert "<h1>" in whole


async def test_copies_of_all_currencies_are_added_up(acme: Cast, staff: Person) -> None:
    await make_issue(acme, 1, release_date_actual="2026-01-02")
    await make_issue(acme, 2, release_date_actual="2099-06-01")
    for currency in ("EUR", "CHF"):
        await import_row(
            acme, start_issue="1", length="4", price="42.00", sent_issues="1", currency=currency
        )
    file = await staff.see("money", "deferred", "forecast", "csv", day="2099-12-31")
    currencies = [each["currency"] for each in csv.DictReader(file.text.splitlines())]
    assert currencies == sorted(currencies, key="EUR CHF".index)  # the own one first
    page = await staff.text("money", "deferred", "forecast", day="2099-12-31")
    assert "Copies owed, in all currencies 4" in words(page)
    assert "Copies owed, EUR 2" in words(page)
    assert "Deferred: CHF 21.00 · 2 copies" in words(page).replace("\xa0", " ")
    assert "Memberships count by days and add no copies" in words(page)
    assert "are left out" not in words(page)


async def test_the_usual_days_are_one_click(staff: Person) -> None:
    page = await staff.text("money", "deferred")
    [chosen] = re.findall(r'deferred/\?day=([0-9-]+)" aria-current="true"', page)
    assert f'value="{chosen}"' in page
    forecast = await staff.text("money", "deferred", "forecast")
    assert "31 December" in words(forecast)


@pytest.mark.parametrize(
    "today, days",
    [
        (date(2026, 11, 30), [date(2026, 10, 31), date(2026, 11, 30), date(2026, 12, 31)]),
        (date(2028, 2, 1), [date(2028, 1, 31), date(2028, 2, 29), date(2028, 12, 31)]),
        (date(2026, 12, 31), [date(2026, 11, 30), date(2026, 12, 31)]),
    ],
)
def test_the_usual_days_are_ends_of_months_and_of_the_year(today: date, days: list[date]) -> None:
    assert usual_days(today) == days


async def test_only_paid_orders_are_shown_but_not_stored(acme: Cast, staff: Person) -> None:
    await turn_on_billing(acme)
    day = (await bill_one(acme)).document.issue_date.isoformat()
    asked = {"day": day, "only_paid": "y"}
    response = await staff.send(staff.address("money", "deferred"), asked)
    page = (await staff.http.get(response.headers["Location"])).text
    assert ": only paid orders" in page
    assert "There were no orders by that day." in page
    assert "no statements yet" in await staff.text("money", "deferred")
