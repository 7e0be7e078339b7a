"""Every list of the desk can be downloaded as CSV and XLSX, with the filters of its page."""

import csv
import io
import re
from collections.abc import Iterator
from datetime import date
from enum import StrEnum
from pathlib import Path

import pytest
from python_calamine import CalamineWorkbook

import masthead.web
from masthead.model.reports.column_names import translated_columns
from masthead.services.background.daily import redo_daily_pass
from masthead.web.downloads import list_file
from masthead.web.downloads.lists import LISTS, SETTINGS_LISTS
from tests.conftest import BY, Cast
from tests.services.imports.support import imported, row
from tests.support.bank import bank_line, import_lines
from tests.support.billing import bill_one, make_billing, turn_on_billing
from tests.support.cases import for_each
from tests.support.days import pass_on
from tests.support.factories import make_issue, make_issues, make_subscription
from tests.support.reminders import remind, turn_on_reminders
from tests.support.rich_account import make_rich
from tests.web.conftest import Person
from tests.web.subscriptions.test_renew import make_bundle

TEMPLATES = Path(masthead.web.__path__[0]) / "templates"


# Pages whose parts have files of their own
OTHERS = {
    "outbox.html": "the made-up emails of a sandbox, which the API lists",
    "find_copies.html": "the last copies of subscribers who match a search",
    "page.html": "the history of one record",
    "renewed.html": "the file of the letters has who renewed since",
    "run.html": "its lines are in the address files",
    "subscriber.html": "one person",
    "subscription.html": "one subscription",
    "webhook.html": "the messages to one webhook, which the API and the command line list",
}


PAGERS = ("parts.pager(", "parts.pages(", "parts.next_pages(")


def is_list(template: Path) -> bool:
    """Whether the page has a list in several pages."""
    text = template.read_text()
    return template.name not in OTHERS and any(pager in text for pager in PAGERS)


LIST_PAGES = sorted(filter(is_list, TEMPLATES.rglob("*.html")))


def name_of(template: Path) -> str:
    return template.relative_to(TEMPLATES).as_posix()


@for_each("template", LIST_PAGES, ids=name_of)
def test_every_list_has_a_download(template: Path) -> None:
    text = template.read_text()
    assert any(word in text for word in ("downloads(", "parts.files(", " download>"))


def test_the_check_finds_lists() -> None:
    expected = {"subscribers/list.html", "settings/audit_log.html", "claims/list.html"}
    assert expected <= set(map(name_of, LIST_PAGES))


CHOICE = re.compile(r'class="chips"|<form class="filters[^"]*"[^>]*method="get"')


@for_each(
    "template",
    sorted(each for each in TEMPLATES.rglob("*.html") if CHOICE.search(each.read_text())),
    ids=name_of,
)
def test_a_choice_is_above_the_files_that_follow_it(template: Path) -> None:
    text = template.read_text()
    first = re.search(r"parts\.(files|downloads)\(", text)
    assert not first or not CHOICE.search(text, first.end())


# The columns of a file that have what a heading of its page says; one of them must be there
COLUMNS = {
    "Address": "old_address",
    "Already here": "already_here",
    "Amount": "amount",
    "Before → after": "before after",
    "Benefits": "benefits",
    "Booked": "payment_date",
    "By": "who",
    "Cancelled": "cancelled_date",
    "Claimed on": "date_created",
    "Content": "first_issue",
    "Copies not sent": "copies_to_send",
    "Copies to send": "copies_to_send",
    "Country": "country_name",
    "Created": "created_at",
    "Current issue": "issue",
    "Date": "issue_date payment_date",
    "Day": "day",
    "Discount": "discount_amount",
    "Due": "due_date",
    "Email": "email",
    "File": "name",
    "For": "length",
    "How it came": "method",
    "How it was renewed": "renewed_how letter_date",
    "How": "channel",
    "ID": "product_id source_id",
    "Imported": "imported",
    "In common": "reason",
    "In the file": "line",
    "Invoice": "invoices",
    "Issue": "issue",
    "Last seen": "seen_at",
    "Last used": "last_used_at",
    "Latest order": "latest_order_date",
    "Letter": "channel",
    "Letters": "letters",
    "Made": "created_at",
    "Medium": "subscription_id",
    "New order": "renewal_order_id",
    "Name": "product source name issue_name",
    "New address": "new_address",
    "New subscriptions from": "date_as_start_issue",
    "Not used yet": "unused_amount",
    "Number": "number import",
    "Old address": "old_address",
    "Open": "open_amount",
    "Order number": "order_id",
    "Paid so far": "paid paid_other_currencies",
    "Order": "order_id",
    "Ordered": "order_date",
    "Part of the total": "amount",
    "Payer": "payer",
    "Payment from": "payer",
    "Pays for": "first_issue",
    "Price": "price prices",
    "Product": "product",
    "Reason": "reason",
    "Recipient": "full_name last_name",
    "Record": "record_id",
    "Reference": "reference",
    "Refund": "amount",
    "Refunded on": "refund_date",
    "Refunded so far": "refunded",
    "Refunded": "refunds",
    "Refused": "refused",
    "Release date": "release_date",
    "Remarks": "reason",
    "Renewed on": "renewed_date",
    "Reported": "day",
    "Result": "status",
    "Role": "role rights",
    "Scope": "scope",
    "Second subscriber": "other_full_name",
    "Sent on": "date_sent",
    "Since": "created_at",
    "Source": "source",
    "Stage": "stage",
    "Starts with": "prefix",
    "Status": "status is_active",
    "Subscriber or subscription": "subscription_id",
    "Subscriber": "full_name last_name",
    "Subscription": "subscription_id",
    "Subscriptions": "subscriptions ended",
    "Text": "text",
    "Total": "total",
    "Two-step sign-in": "two_step",
    "Type": "type",
    "Uploaded": "created_at",
    "User": "user email",
    "What it made": "what",
    "When": "created_at",
    "Who": "who",
    "Written": "created_at",
}
NO_COLUMNS = {"Action", "Actions", "Merge", "Proposal", "Questions"}
IN_OTHER_FILES = {  # pages with headings of which another file has the values
    ("revenue-statements", "Deferred"),  # a file for each statement, with all currencies
    ("revenue-statements", "Kept after cancellation"),
    ("letter-batches", "Stopped"),  # the file of the letters of a batch
    ("letter-batches", "Renewed since"),
    ("import-rows", "Row"),  # the file that was imported, and that of what was refused
}


@for_each(
    "template",
    sorted(each for each in TEMPLATES.rglob("*.html") if "parts.downloads(" in each.read_text()),
    ids=name_of,
)
def test_a_file_has_what_its_page_shows(template: Path) -> None:
    text = template.read_text()
    for found in re.finditer(r'parts\.downloads\("([\w-]+)"', text):
        before, after = text[: found.start()], text[found.end() :]
        table = after.partition("parts.table(")[2] or before.rpartition("parts.table(")[2]
        table = table.partition("{% endcall %}")[0]
        columns = set({**LISTS, **SETTINGS_LISTS}[found[1]].columns)
        for head in re.findall(r'<th scope="col"[^>]*>.*?"([^"]+)"\) }}', table):
            if head not in NO_COLUMNS and (found[1], head) not in IN_OTHER_FILES:
                assert columns & set(COLUMNS[head].split()), (found[1], head)


async def download(person: Person, *parts: str, **query: str) -> list[dict[str, str]]:
    response = await person.see(*parts, **query)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(response.content.decode("utf-8-sig"))))


async def query_of(acme: Cast, name: str) -> dict[str, str]:
    """The filters that a list needs, with records of `make_rich`."""
    months = {"from": "2026-01", "to": "2026-12"}
    newest = {
        "copies": ("issue", "issue"),
        "statement-figures": ("statement", "revenue_statement"),
        "statement-orders": ("statement", "revenue_statement"),
        "letters": ("batch", "letter_batch"),
        "import-rows": ("batch", "import_batch"),
    }
    query = {
        "orders": months,
        "refunds": months,
        "statement-orders": {"currency": "EUR"},
        "ended-with-issue": {"issue": "4"},
    }.get(name, {})
    if name not in newest:
        return query
    field, table = newest[name]
    sql = f"SELECT id FROM {table} WHERE account_id = :account_id"  # noqa: S608
    ids = [each["id"] for each in await acme.db.fetch_all(sql, {"account_id": acme.account_id})]
    return {**query, field: max(ids)} if ids else query


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_file, "ROWS", 2)


@pytest.mark.usefixtures("small_parts")
async def test_all_lists_are_the_same_as_csv_and_as_xlsx(acme: Cast, owner: Person) -> None:
    await make_rich(acme)
    await make_billing(acme)
    empty = {
        "duplicates",
        "imports",
        "import-rows",
        "memberships",
        "ended",
        "letters",
        "ended-with-issue",
        "renewed-letters",
    }
    for folder, lists in (((), LISTS), (("settings",), SETTINGS_LISTS)):
        for name, file in lists.items():
            query = await query_of(acme, name)
            rows = await download(owner, *folder, "downloads", name, "csv", **query)
            assert rows or name in empty, name
            response = await owner.see(*folder, "downloads", name, "xlsx", **query)
            book = CalamineWorkbook.from_filelike(io.BytesIO(response.content))
            found = book.get_sheet_by_index(0).to_python()
            assert found[0] == translated_columns(file.columns), name
            # the first download is an entry of the audit log
            assert len(found) - 1 == len(rows) + (name == "audit-log"), name


def raw_values() -> set[str]:
    """The values of enumerations that are not words for people."""
    return {
        member.value
        for each in subclasses_of(StrEnum)
        for member in each
        if re.fullmatch("[a-z_]+", member.value)
    }


def subclasses_of(kind: type[StrEnum]) -> Iterator[type[StrEnum]]:
    for each in kind.__subclasses__():
        yield from subclasses_of(each)
        if each.__module__.startswith("masthead."):
            yield each


async def test_files_have_words_of_the_reader_instead_of_raw_values(
    acme: Cast, owner: Person
) -> None:
    await make_rich(acme)
    await make_billing(acme)
    await imported(acme, row("A"), row("B", country="?"))
    await owner.post("/you/locale/", {"locale": "de_DE"})
    raw = raw_values()
    assert {"never_arrived", "read_write", "frozen", "undeliverable"} <= raw
    for folder, lists in (((), LISTS), (("settings",), SETTINGS_LISTS)):
        for name, query in [(each, await query_of(acme, each)) for each in lists]:
            response = await owner.see(*folder, "downloads", name, "csv", **query)
            text = response.content.decode("utf-8-sig")
            for cells in csv.reader(io.StringIO(text), delimiter=";"):
                assert [cell for cell in cells if cell in raw] == [], name


async def test_a_file_has_the_filters_of_its_page(acme: Cast, owner: Person) -> None:
    await make_issues(acme, 1, 1)
    await make_subscription(acme, first_name="=1+1", country="DE", email="one@example.test")
    await make_subscription(acme, first_name="Bo", country="FR", email="two@example.test")
    (german,) = await download(owner, "downloads", "subscriptions", "csv", country="DE")
    assert german["first_name"] == "'=1+1"
    assert german["country_name"] == "Germany"
    (found,) = await download(owner, "downloads", "subscribers", "csv", search="two")
    assert found["email"] == "two@example.test"
    page = await owner.text("subscribers", search="two")
    assert 'downloads/subscribers/xlsx/?search=two"' in page
    response = await owner.see("downloads", "subscribers", "csv")
    name = response.headers["content-disposition"]
    assert name.startswith('attachment; filename="subscribers-2')
    assert name.endswith('.csv"')
    log = await owner.text("settings", "log")
    assert "File downloaded" in log
    wrong = await owner.see("downloads", "subscriptions", "csv", country="")
    assert wrong.status_code == 200


@pytest.mark.usefixtures("small_parts")
async def test_copies_for_one_address_are_one_row(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    await make_subscription(acme, last_name="Single")
    ids = await make_bundle(acme, 5)
    for query in ({}, {"sort": "oldest"}, {"sort": "name"}, {"search": "Harbour"}, {"id": ids[1]}):
        rows = await download(owner, "downloads", "subscriptions", "csv", **query)
        found = [(row["copies"], row["price"]) for row in rows if row["company"]]
        assert found == [("5", "50.00")], query
        others = [row["copies"] for row in rows if not row["company"]]
        assert others == ([] if {"search", "id"} & query.keys() else ["1"]), query


@pytest.mark.parametrize("path", ["downloads/nothing/csv", "downloads/issues/pdf"])
async def test_unknown_files_are_not_found(owner: Person, path: str) -> None:
    assert (await owner.see(*path.split("/"))).status_code == 404


async def test_wrong_filters_are_refused_before_anything_is_sent(owner: Person) -> None:
    response = await owner.see("downloads", "subscriptions", "csv", is_gift="perhaps")
    assert response.status_code == 400


async def test_a_country_that_is_not_known_is_empty_in_files(acme: Cast, owner: Person) -> None:
    issue = await make_issue(acme, number=1)
    digital = row("A1", medium="Digital", country="")  # the account has no country either
    await imported(acme, digital)
    for name in ("subscribers", "subscriptions", "copies"):
        query = {"issue": issue["id"]} if name == "copies" else {}
        (found,) = await download(owner, "downloads", name, "csv", **query)
        assert (found["country"], found["country_name"]) == ("", ""), name
    by_part = await download(owner, "forecast", "csv", by="part")
    assert {(part["country"], part["country_name"]) for part in by_part} == {("", "Unknown Region")}


async def test_bank_lines_have_on_whose_behalf_somebody_paid(acme: Cast, owner: Person) -> None:
    await turn_on_billing(acme)
    iban = "DE89370400440532013000"
    line = bank_line(20_00, name="Bank Ltd", ultimate_name="Ada King", iban=iban)
    await import_lines(acme, line)
    (found,) = await download(owner, "downloads", "bank-lines", "csv")
    assert [found[each] for each in ("payer", "ultimate_name", "iban", "amount")] == [
        "Bank Ltd",
        "Ada King",
        "DE89…3000",
        "20.00",
    ]


async def test_a_reminder_fee_is_no_invoice(acme: Cast, owner: Person) -> None:
    await turn_on_reminders(acme, fees=(250, 0, 0))
    await redo_daily_pass(acme.db, acme.account_id, date(2026, 6, 1), by=BY)
    await bill_one(acme, due_days=1, email="ada@example.org")
    await pass_on(acme, "2026-06-09")
    await remind(acme, 1)
    found = await download(owner, "downloads", "invoices", "csv")
    assert [each["kind"] for each in found] == ["reminder fee", "invoice"]


async def test_a_list_of_something_unknown_is_an_error_page_and_no_file(owner: Person) -> None:
    response = await owner.see("downloads", "statement-orders", "csv", statement="unknown")
    assert response.status_code == 404
    assert response.headers["content-type"].startswith("text/html")
