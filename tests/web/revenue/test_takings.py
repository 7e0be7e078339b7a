"""Takings by month, source, product and currency; each figure leads to its orders."""

import csv
import html
import re

import pytest

from masthead.store.engine.interface import Transaction
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.factories import import_row, make_issue, make_subscription
from tests.support.revenue import add_refund
from tests.web.conftest import Person
from tests.web.subscribers.test_pages import words

YEAR = {"from": "2026-01", "to": "2026-12"}


@pytest.fixture
async def orders(acme: Cast) -> None:
    """Orders of two months, in two currencies, from two sources."""
    await make_issue(acme)
    await import_row(acme, order_id="OA1", start_issue="1", length="4")
    await import_row(
        acme, order_id="OA2", start_issue="1", length="4", price="40.00", discount_amount="2.00"
    )
    await import_row(acme, order_id="OU1", start_issue="1", length="4", currency="USD")
    await make_subscription(acme, order_id="OS1", order_date="2026-03-31", price="10.50")
    await add_refund(acme, "OA1", "2026-02-03", 1200)


def rows_of(page: str, caption: str = "") -> list[list[str]]:
    """The cells of all tables of a page, without tags."""
    rows = re.findall(r"<tr>(.*?)</tr>", page[page.find(caption) :], re.DOTALL)
    return [
        [
            html.unescape(re.sub("<[^>]+>", "", cell)).strip()
            for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL)
        ]
        for row in rows
    ]


def links_of(page: str, text: str) -> list[str]:
    """The addresses of the links with a text."""
    return [
        html.unescape(match)
        for match in re.findall(rf'href="([^"]+)"[^>]*>{re.escape(text)}</a>', page)
    ]


@pytest.mark.usefixtures("orders")
async def test_takings_by_month(staff: Person) -> None:
    page = await staff.text("money", **YEAR)
    assert rows_of(page) == [
        ["Month", "Orders", "Paid at once", "Refunds", "Came in", "Discounts"],
        ["January 2026", "2", "€82.00", "€0.00", "€82.00", "€2.00"],
        ["February 2026", "0", "€0.00", "€12.00", "−€12.00", "€0.00"],
        ["March 2026", "1", "€10.50", "€0.00", "€10.50", "€0.00"],
        ["Total", "3", "€92.50", "€12.00", "€80.50", "€2.00"],
        ["Month", "Orders", "Paid at once", "Refunds", "Came in", "Discounts"],
        ["January 2026", "1", "US$42.00", "US$0.00", "US$42.00", "US$0.00"],
        ["Total", "1", "US$42.00", "US$0.00", "US$42.00", "US$0.00"],
    ]


@pytest.mark.usefixtures("orders")
async def test_takings_by_source_product_and_all(staff: Person) -> None:
    by_source = rows_of(await staff.text("money", by="source", currency="EUR", **YEAR))
    names = [row[0] for row in by_source[1:-1]]
    assert names == sorted(names, key=str.casefold)
    assert {tuple(row[1:3]) for row in by_source[1:-1]} == {("2", "€82.00"), ("1", "€10.50")}
    assert by_source[-1][:3] == ["Total", "3", "€92.50"]
    by_product = rows_of(await staff.text("money", by="product", currency="EUR", **YEAR))
    assert by_product[-1][:3] == ["Total", "3", "€92.50"]
    assert by_product[1][1:3] == ["3", "€92.50"]
    everything = rows_of(await staff.text("money", by="all", currency="EUR", **YEAR))
    assert everything[0][:3] == ["Month", "Source", "Product"]
    assert [row[0] for row in everything[1:]] == [
        "January 2026",
        "February 2026",
        "March 2026",
        "Total",
    ]


@pytest.mark.usefixtures("orders")
async def test_each_figure_leads_to_its_orders(staff: Person) -> None:
    page = await staff.text("money", **YEAR)
    for text, expected in (
        ("€82.00", {"OA1", "OA2"}),
        ("€2.00", {"OA2"}),
        ("€12.00", {"OA1"}),
        ("€10.50", {"OS1"}),
        ("€92.50", {"OA1", "OA2", "OS1"}),
        ("US$42.00", {"OU1"}),
    ):
        for address in links_of(page, text):
            listed = (await staff.http.get(address)).text
            found = {row[0] for row in rows_of(listed)[1:]}
            assert found == expected, text
            assert "/subscriptions/" in listed


@pytest.mark.usefixtures("orders")
async def test_other_currencies_are_folded_with_their_total(staff: Person) -> None:
    page = await staff.text("money", **{"from": "2026-01", "to": "2026-12"})
    own, folded = page.split('<details class="currency">')
    assert 'id="takings-EUR"' in own
    head = re.sub("<[^>]+>", "", folded.partition("</summary>")[0])
    assert head.split() == ["USD", "Came", "in:", "US$42.00"]


@pytest.mark.usefixtures("orders")
async def test_only_some_months_count(staff: Person) -> None:
    page = await staff.text("money", **{"from": "2026-03", "to": "2026-03"})
    assert rows_of(page)[1:] == [
        ["March 2026", "1", "€10.50", "€0.00", "€10.50", "€0.00"],
        ["Total", "1", "€10.50", "€0.00", "€10.50", "€0.00"],
    ]
    assert "no orders and no refunds" in await staff.text(
        "money", **{"from": "2025-01", "to": "2025-03"}
    )


@for_each(
    "query, message",
    [
        ({"from": "1.2026"}, "“1.2026” is not a month. Type it like 2026-01."),
        ({"to": "2026-13"}, "“2026-13” is not a month"),
        ({"from": "2026-05", "to": "2026-04"}, "The first month 2026-05 is after the last month"),
    ],
)
async def test_wrong_months_are_refused_at_the_field(
    staff: Person, query: dict[str, str], message: str
) -> None:
    response = await staff.see("money", **query)
    assert response.status_code == 400
    assert message in response.text
    assert 'aria-invalid="true"' in response.text
    assert next(iter(query.values())) in response.text


@pytest.mark.usefixtures("orders")
async def test_the_page_says_what_the_file_above_its_table_has(staff: Person) -> None:
    page = await staff.text("money", **YEAR, by="country-month")
    assert "Download: came in, by month and country, 2026" in words(page)
    assert page.index("Add up by") < page.index("Download: came in") < page.index("<table")
    page = await staff.text("money", **{**YEAR, "to": "2026-03"}, counted="ordered", by="source")
    assert "Download: ordered, by source, January 2026 to March 2026" in words(page)


@pytest.mark.usefixtures("orders")
async def test_takings_and_deferred_revenue_lead_to_each_other(staff: Person) -> None:
    page = await staff.text("money", **YEAR)
    forecast = staff.address("money", "deferred", "forecast") + "?day=2026-12-31"
    assert "owe to readers at the end of 31 December 2026 is under" in words(page)
    assert f'href="{forecast}"' in page
    page = await staff.text("money", "deferred", "forecast", day="2026-12-31")
    takings = staff.address("money") + "?by=country-month&amp;from=2026-01&amp;to=2026-12"
    assert f'href="{takings}"' in page


@pytest.mark.usefixtures("orders")
async def test_the_file_has_what_the_page_shows(staff: Person) -> None:
    response = await staff.see("money", "csv", **YEAR)
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    disposition = response.headers["content-disposition"]
    assert 'filename="takings-by-month-2026-01-2026-12.csv"' in disposition
    rows = list(csv.reader(response.text.lstrip("\ufeff").splitlines()))
    assert rows == [
        "month currency orders paid_at_once discounts payments refunds came_in".split(),
        "2026-01 EUR 2 82.00 2.00 0.00 0.00 82.00".split(),
        "2026-02 EUR 0 0.00 0.00 0.00 12.00 -12.00".split(),
        "2026-03 EUR 1 10.50 0.00 0.00 0.00 10.50".split(),
        "Total EUR 3 92.50 2.00 0.00 12.00 80.50".split(),
        "2026-01 USD 1 42.00 0.00 0.00 0.00 42.00".split(),
        "Total USD 1 42.00 0.00 0.00 0.00 42.00".split(),
    ]
    everything = await staff.see("money", "csv", by="all", currency="USD", **YEAR)
    (row, total) = csv.DictReader(everything.text.lstrip("\ufeff").splitlines())
    assert (row["month"], row["came_in"], total["month"]) == ("2026-01", "42.00", "Total")
    assert row["source"]
    assert row["product"]


@pytest.mark.usefixtures("orders")
async def test_an_order_without_a_date_counts_when_it_was_recorded(
    acme: Cast, staff: Person
) -> None:
    await make_subscription(acme, order_id="N1", price="7.00")

    async def work(tx: Transaction) -> None:
        await tx.execute(
            "UPDATE period SET order_date = NULL WHERE account_id = :a AND order_id = 'N1'",
            {"a": acme.account_id},
        )

    await acme.db.write(work, account_id=acme.account_id)
    page = await staff.text("money")
    (address, *_) = links_of(page, "€7.00")
    listed = await staff.http.get(address)
    assert [row[:2] for row in rows_of(listed.text)[1:]] == [["N1", "no date"]]


@pytest.mark.usefixtures("orders")
async def test_the_lists_are_paged(staff: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masthead.web.revenue.taken_orders.PAGE", 2)
    first = await staff.text("money", "orders", **YEAR)
    assert len(rows_of(first)) == 3
    (following,) = links_of(first, "Next page")
    second = (await staff.http.get(following)).text
    names = [row[0] for row in rows_of(first)[1:] + rows_of(second)[1:]]
    assert sorted(names) == ["OA1", "OA2", "OS1", "OU1"]


async def test_empty_lists_say_so(staff: Person) -> None:
    assert "There are no such orders." in await staff.text("money", "orders")
    assert "There are no such refunds." in await staff.text("money", "refunds")


async def test_money_of_another_account_is_not_shown(outsider: Person) -> None:
    for path in (("money",), ("money", "orders"), ("money", "deferred"), ("money", "issues")):
        assert (await outsider.see(*path)).status_code == 404


def paid_so_far(page: str) -> str:
    """What was paid, on the page of a subscriber."""
    _before, value = page.split("<dt>Paid so far</dt>")
    return re.sub("<[^>]*>", "", value.partition("</dd>")[0]).strip()


async def test_the_page_of_a_subscriber_names_what_was_paid_in_other_currencies(
    acme: Cast, staff: Person
) -> None:
    await make_issue(acme)
    made = await import_row(acme, start_issue="1", length="2", currency="USD", price="30.00")
    page = await staff.text("subscribers", made["subscriber"]["id"])
    assert paid_so_far(page) == "US$30.00"
    listed = await staff.text("subscribers")
    assert listed.count('<span class="nowrap">US$30.00</span>') == 1
    assert "€0.00" not in listed
    euros = await import_row(acme, start_issue="1", length="2", email="eve@acme.test", price="9.00")
    page = await staff.text("subscribers", euros["subscriber"]["id"])
    assert paid_so_far(page) == "€9.00"


@pytest.mark.usefixtures("orders")
async def test_the_total_is_above_the_table(staff: Person) -> None:
    page = await staff.text("money", currency="EUR", **YEAR)
    figures = page[page.index('<dl class="figures">') : page.index("<table")]
    shown = " ".join(re.sub("<[^>]+>", " ", figures).split())
    assert shown == "Came in €80.50 Orders 3"
