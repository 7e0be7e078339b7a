"""The CSV files of the demo publication, checked without a database or the importer."""

import asyncio
import csv
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from datetime import date, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from masthead import demo
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parents[1]
README = Path(demo.__file__).with_name("README.md")
LAST_DAY = date(2026, 11, 20)
DECIMALS = {"EUR": 2, "USD": 2, "GBP": 2, "CHF": 2, "JPY": 0, "KWD": 3}
COLUMNS = (
    "order_id,type,email,first_name,last_name,company,address1,address2,city,state,postcode,country,"
    "phone,start_issue,length,interval_months,period_start,period_end,is_recurring,status,is_comp,"
    "is_gift,gifter_name,gifter_email,medium,price,currency,discount_amount,refunded,promo_code,"
    "order_date,transaction_id,notes,sent_issues,sent_dates,renews"
)
ISSUE_COLUMNS = (
    "number,name,release_date_actual,release_date_fuzzy,date_as_start_issue,recurring_charge_date,"
    "newsstand_ean"
)
COLUMNS_OF_MEMBERS = ("interval_months", "period_start", "period_end")

Rows = list[dict[str, str]]


def read(path: Path) -> Rows:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def rows() -> Rows:
    """Every row of subscriptions.csv."""
    return read(demo.SUBSCRIPTIONS_CSV)


@pytest.fixture(scope="module")
def first_orders(rows: Rows) -> Rows:
    """The rows that create a subscription."""
    return [row for row in rows if not row["renews"]]


@pytest.fixture(scope="module")
def orders(rows: Rows) -> list[Rows]:
    """The orders of each subscription, first to last."""
    found: dict[str, Rows] = defaultdict(list)
    for row in rows:
        found[row["renews"] or row["order_id"]].append(row)
    return list(found.values())


@pytest.fixture(scope="module")
def released() -> dict[int, date]:
    """Release dates by issue number, of those that have one."""
    return {
        int(row["number"]): date.fromisoformat(row["release_date_actual"])
        for row in read(demo.ISSUES_CSV)
        if row["release_date_actual"]
    }


def yes(cell: str) -> bool:
    """The value of a boolean cell."""
    return {
        "true": True,
        "yes": True,
        "1": True,
        "false": False,
        "no": False,
        "0": False,
        "": False,
    }[cell]


def numbers(cell: str) -> list[int]:
    """The issue numbers in a cell."""
    return [int(number) for number in cell.split("|")] if cell else []


async def test_both_files_have_the_columns_of_the_template() -> None:
    for path, columns in ((demo.SUBSCRIPTIONS_CSV, COLUMNS), (demo.ISSUES_CSV, ISSUE_COLUMNS)):
        with path.open(encoding="utf-8") as file:
            assert file.readline() == columns + "\n"


async def test_generating_the_files_again_produces_the_same_bytes(tmp_path: Path) -> None:
    words = (sys.executable, "-m", "tools.make_demo_csv", "--into", tmp_path)
    maker = await asyncio.create_subprocess_exec(*words, cwd=ROOT)
    async with asyncio.timeout(PATIENCE):
        assert await maker.wait() == 0
    for path in (demo.SUBSCRIPTIONS_CSV, demo.ISSUES_CSV):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()


async def test_the_file_of_subscriptions_is_small_enough_to_ship() -> None:
    assert demo.SUBSCRIPTIONS_CSV.stat().st_size <= 600_000


async def test_there_are_24_issues_with_one_in_each_quarter() -> None:
    issues = read(demo.ISSUES_CSV)
    assert [row["number"] for row in issues] == [str(number) for number in range(1, 25)]
    assert all(row["name"] for row in issues)
    days = [date.fromisoformat(row["release_date_actual"]) for row in issues[:-1]]
    gaps = [(later - day).days for day, later in pairwise(days)]
    assert min(gaps) >= 80
    assert max(gaps) <= 100
    assert [day > LAST_DAY for day in days] == [False] * 21 + [True] * 2
    assert issues[-1]["release_date_actual"] == ""
    assert issues[-1]["release_date_fuzzy"]


async def test_ean_check_digits_are_correct() -> None:
    eans = [row["newsstand_ean"] for row in read(demo.ISSUES_CSV) if row["newsstand_ean"]]
    assert len(set(eans)) == 22
    for ean in eans:
        assert len(ean) == 13
        assert sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(ean)) % 10 == 0


async def test_order_ids_are_unique() -> None:
    ids = [row["order_id"] for row in read(demo.SUBSCRIPTIONS_CSV)]
    assert all(ids)
    assert len(set(ids)) == len(ids)


async def test_a_renewal_names_an_earlier_row_that_can_be_renewed(rows: Rows) -> None:
    seen: dict[str, dict[str, str]] = {}
    for row in rows:
        if row["renews"]:
            renewed = seen[row["renews"]]
            assert not renewed["renews"]
            assert renewed["status"] != "Cancelled"
            assert row["type"] == renewed["type"]
            assert row["order_date"] > renewed["order_date"]
            assert not row["status"]
        seen[row["order_id"]] = row


async def test_orders_have_dates_and_are_sorted_by_date(rows: Rows) -> None:
    days = [date.fromisoformat(row["order_date"]) for row in rows]
    assert days == sorted(days)
    assert days[-1] <= LAST_DAY


async def test_issue_subscriptions_start_with_an_existing_issue(orders: list[Rows]) -> None:
    for first, *renewals in orders:
        if first["type"] != "membership":
            assert 1 <= int(first["start_issue"]) <= 24
            following = int(first["start_issue"]) + int(first["length"])
            for row in renewals:
                assert row["start_issue"] in ("", str(following))
                following += int(row["length"])
            assert not any(row[name] for row in (first, *renewals) for name in COLUMNS_OF_MEMBERS)


async def test_membership_periods_are_complete_and_consecutive(orders: list[Rows]) -> None:
    for first, *renewals in orders:
        if first["type"] == "membership":
            assert all(first[name] for name in COLUMNS_OF_MEMBERS)
            assert not any(row["start_issue"] or row["length"] for row in (first, *renewals))
            end = date.min
            for row in (first, *renewals):
                if row["period_start"]:
                    start = date.fromisoformat(row["period_start"])
                    assert start > end
                    end = date.fromisoformat(row["period_end"])
                    months = (end + timedelta(days=1)).month - start.month
                    assert months % 12 == int(row["interval_months"]) % 12


async def test_only_copies_of_issues_that_are_paid_for_and_out_are_sent(
    orders: list[Rows], released: dict[int, date]
) -> None:
    for first, *renewals in orders:
        following = int(first["start_issue"] or 0)
        for row in (first, *renewals):
            sent = numbers(row["sent_issues"])
            assert sent == sorted(set(sent))
            assert all(released[number] <= LAST_DAY for number in sent)
            if first["type"] != "membership":
                assert set(sent) <= set(range(following, following + int(row["length"])))
                following += int(row["length"])
            elif row["period_start"]:
                start = date.fromisoformat(row["period_start"])
                end = date.fromisoformat(row["period_end"])
                assert all(start <= released[number] <= end for number in sent)


async def test_either_all_sent_copies_have_dates_or_none(rows: Rows) -> None:
    for row in rows:
        if row["sent_dates"]:
            days = [date.fromisoformat(day) for day in row["sent_dates"].split("|")]
            assert len(days) == len(numbers(row["sent_issues"]))
            assert min(days) >= date.fromisoformat(row["order_date"])
            assert max(days) <= LAST_DAY


async def test_booleans_are_written_in_three_ways(first_orders: Rows) -> None:
    for name in ("is_recurring", "is_comp", "is_gift"):
        cells = {row[name] for row in first_orders}
        assert cells == {"true", "false", "yes", "no", "1", "0", ""}


async def test_status_is_given_only_where_it_cannot_be_derived(first_orders: Rows) -> None:
    for row in first_orders:
        assert row["status"] in ("", "Cancelled", "Past due", "Active - Renewals stopped")
        if row["status"] in ("Past due", "Active - Renewals stopped"):
            assert yes(row["is_recurring"])


async def test_every_subscriber_has_a_name_and_a_country(first_orders: Rows) -> None:
    for row in first_orders:
        assert row["first_name"] or row["company"]
        assert re.fullmatch("[A-Z]{2}|de", row["country"])


async def test_only_gifts_have_a_gifter(first_orders: Rows) -> None:
    for row in first_orders:
        assert [bool(row["gifter_name"]), bool(row["gifter_email"])] == [yes(row["is_gift"])] * 2


async def test_only_complimentary_subscriptions_cost_nothing(rows: Rows) -> None:
    for row in rows:
        assert (Decimal(row["price"]) == 0) == yes(row["is_comp"])


async def test_money_has_the_precision_of_its_currency(rows: Rows) -> None:
    for row in rows:
        decimals = DECIMALS[row["currency"].upper() or demo.CURRENCY]
        for name in ("price", "discount_amount", "refunded"):
            assert re.fullmatch(r"(\d{1,9}(\.\d+)?)?", row[name])
            assert len(row[name].partition(".")[2]) <= decimals
        assert Decimal(row["refunded"] or 0) <= Decimal(row["price"])


async def test_a_renewal_is_paid_in_the_currency_of_the_first_order(orders: list[Rows]) -> None:
    for chain in orders:
        assert len({row["currency"].upper() or demo.CURRENCY for row in chain}) == 1


async def test_email_addresses_have_reserved_domains(rows: Rows) -> None:
    for row in rows:
        for email in filter(None, (row["email"], row["gifter_email"])):
            local, _, domain = email.casefold().partition("@")
            assert local
            assert domain.endswith((".test", ".example"))
            assert domain != "placeholder.example"


async def test_every_cell_is_within_the_limit_of_its_field(rows: Rows) -> None:
    for row in rows:
        for name, cell in row.items():
            assert len(cell) <= (10_000 if name == "notes" else 255), (row["order_id"], name)
    assert {max(len(row[name]) for row in rows) for name in ("first_name", "company")} == {255}


async def test_there_are_about_2000_subscriptions_of_every_kind(
    first_orders: Rows, rows: Rows
) -> None:
    kinds = Counter(row["type"] or "subscription" for row in first_orders)
    assert 1_900 <= len(first_orders) <= 2_100
    assert kinds["membership"] >= 250
    assert {row["interval_months"] for row in first_orders} == {"", "1", "3", "12"}
    status = Counter(row["status"] for row in first_orders)
    assert status["Cancelled"] >= 100
    assert status["Past due"] >= 50
    assert status["Active - Renewals stopped"] >= 80
    for name, least in (("is_recurring", 700), ("is_gift", 300), ("is_comp", 80)):
        assert sum(yes(row[name]) for row in first_orders) >= least
    assert {row["medium"] for row in first_orders} == {"", "Print", "Digital", "Print + digital"}
    assert len(rows) - len(first_orders) >= 500
    assert sum(not row["email"] for row in first_orders) >= 100
    assert sum(not row["first_name"] for row in first_orders) >= 50
    assert sum(bool(row["promo_code"]) for row in rows) >= 100
    assert sum(bool(row["refunded"]) for row in rows) >= 100


async def test_it_covers_countries_currencies_and_scripts(first_orders: Rows) -> None:
    assert len({row["country"].upper() for row in first_orders}) >= 25
    assert {row["currency"].upper() for row in first_orders} == {"", *DECIMALS}
    letters = set("".join(row["first_name"] + row["city"] for row in first_orders))
    scripts = {unicodedata.name(letter).split()[0] for letter in letters}
    assert scripts >= {
        "LATIN",
        "GREEK",
        "CYRILLIC",
        "HEBREW",
        "ARABIC",
        "DEVANAGARI",
        "CJK",
        "HANGUL",
    }
    assert any(row["postcode"].startswith("0") for row in first_orders)


async def test_some_subscribers_have_several_subscriptions_with_different_spellings(
    first_orders: Rows,
) -> None:
    spellings: dict[str, set[str]] = defaultdict(set)
    for row in first_orders:
        spellings[row["email"].casefold()].add(row["email"])
    assert sum(len(found) > 1 for found in spellings.values()) >= 50


async def test_issue_21_is_half_sent(orders: list[Rows]) -> None:
    sent = due = 0
    for chain in orders:
        if chain[0]["type"] != "membership" and chain[0]["status"] != "Cancelled":
            start = int(chain[0]["start_issue"])
            due += start <= 21 < start + sum(int(row["length"]) for row in chain)
            sent += any(21 in numbers(row["sent_issues"]) for row in chain)
    assert 0.3 <= sent / due <= 0.7


async def test_some_cells_look_like_formulas_or_markup(first_orders: Rows) -> None:
    cells = [cell for row in first_orders for cell in row.values()]
    for start in ("=", "+", "-", "@", "<b>", "<script>"):
        assert any(cell.startswith(start) for cell in cells), start
    assert any("\n" in cell for cell in cells)
    assert any('"' in cell and "," in cell for cell in cells)


async def test_the_readme_names_every_special_case(rows: Rows) -> None:
    told = {row["order_id"] for row in rows if row["order_id"].startswith("STORY-")}
    named = set()
    for line in README.read_text(encoding="utf-8").splitlines():
        if match := re.match(r"\| STORY-(\d+)(, (\d+)| to (\d+))? \|", line):
            first, last = int(match[1]), int(match[3] or match[4] or match[1])
            named |= {f"STORY-{number:02}" for number in range(first, last + 1)}
    assert named == told


async def test_marit_cancelled_before_issue_12(first_orders: Rows) -> None:
    (marit,) = (row for row in first_orders if row["order_id"] == "STORY-01")
    assert marit["status"] == "Cancelled"
    assert numbers(marit["sent_issues"]) == [9, 10, 11]
    assert int(marit["start_issue"]) + int(marit["length"]) > 12
