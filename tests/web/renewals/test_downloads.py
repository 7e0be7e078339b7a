"""The files of the renewal lists."""

import csv
import io
import zipfile
from typing import Any

import pytest

from masthead.model.orders.price_rises import PriceRise
from masthead.model.renewals.files import LIST_COLUMNS, MERGE_COLUMNS
from masthead.model.renewals.lapsed import RenewalStage
from masthead.model.types.enums import Salutation
from masthead.services.letters.recipients import count_letters, plan_letters
from masthead.store.accounts import get_account
from masthead.store.engine.interface import Transaction
from masthead.web.renewals import downloads
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.factories import make_issue, make_membership, make_subscription
from tests.support.letters import set_up
from tests.support.price_rises import raise_renewals
from tests.support.subscribers import correct
from tests.web.conftest import Person
from tests.web.reports.test_home import words
from tests.web.subscriptions.test_renew import make_bundle


async def download(owner: Person, **query: str) -> bytes:
    response = await owner.see("ending", "download", **query)
    assert response.status_code == 200, response.text
    return response.content


async def read_csv(owner: Person, **query: str) -> list[dict[str, str]]:
    text = (await download(owner, **query)).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text), delimiter=";" if ";" in text[:200] else ","))


async def make_subscriber(acme: Cast, **fields: Any) -> dict[str, Any]:
    address = {
        "first_name": "Ada",
        "last_name": "Byron",
        "address1": "Allee 1",
        "postcode": "53111",
        "city": "Bonn",
        "email": "ada@example.test",
    }
    return await make_subscription(acme, length=1, **{**address, **fields})


async def test_a_csv_file_has_the_rows_of_the_list_with_addresses(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    made = await make_subscriber(acme)
    await make_subscriber(acme, country="FR", email="eve@example.test")
    [row] = await read_csv(owner, format="csv", country="DE")
    assert list(row) == LIST_COLUMNS
    assert row["subscription_id"] == made["id"]
    assert row["country_name"] == "Germany"
    assert (row["address1"], row["postcode"], row["city"]) == ("Allee 1", "53111", "Bonn")
    assert (row["last_issue"], row["period_end"], row["price"]) == ("1", "", "42.00")
    assert (row["is_comp"], row["is_gift"]) == ("no", "no")


async def test_lists_have_the_salutation_in_words_and_letters_the_greeting(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    made = await make_subscriber(acme)
    await correct(acme, made["subscriber"]["id"], salutation=Salutation.MS, title="Dr.")
    await make_subscriber(acme, first_name="Tom", country="FR")
    [row] = await read_csv(owner, format="csv", country="DE")
    assert (row["salutation"], row["title"]) == ("Ms", "Dr.")
    ada, tom = await read_csv(owner, format="merge-csv", sort="ordered")
    assert (ada["salutation"], ada["address_line_1"]) == ("Dear Dr. Byron,", "Dr. Ada Byron")
    assert (tom["salutation"], tom["address_line_1"]) == ("Dear Tom Byron,", "Tom Byron")
    response = await owner.see("downloads", "subscribers", "csv")
    [listed] = csv.DictReader(io.StringIO(response.content.decode("utf-8-sig")))
    assert (listed["salutation"], listed["title"]) == ("Ms", "Dr.")


async def test_a_mail_merge_has_a_column_for_each_placeholder(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    made = await make_subscriber(acme)
    await make_subscription(acme, length=1, first_name="", company="Verlag", country="FR")
    person, company = await read_csv(owner, format="merge-csv", sort="ordered")
    assert tuple(person) == MERGE_COLUMNS
    assert person["salutation"] == "Dear Ada Byron,"
    assert [person[f"address_line_{number}"] for number in range(1, 9)] == [
        "Ada Byron",
        "Allee 1",
        "53111 BONN",
        "GERMANY",
        "",
        "",
        "",
        "",
    ]
    assert (person["renewal_price"], person["currency"]) == ("42.00", "EUR")
    assert (person["last_issue"], person["period_end"]) == ("1", "")
    assert person["subscription_id"] == made["id"]
    assert (company["salutation"], company["full_name"]) == ("Dear subscriber,", "Verlag")
    assert company["email"] == ""  # not the placeholder


async def test_the_price_of_a_renewal_is_that_of_the_product(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    made = await make_subscriber(acme)

    async def work(tx: Transaction) -> None:
        row = await tx.fetch_one(
            "SELECT product_id FROM subscription WHERE account_id = :account_id AND id = :id",
            {"account_id": acme.account_id, "id": made["id"]},
        )
        assert row is not None
        price = {
            "account_id": acme.account_id,
            "product_id": row["product_id"],
            "medium": "Print",
            "country_group": "europe",  # the account has no country
            "currency": "EUR",
            "price": 4800,
        }
        await tx.insert_rows("product_price", [price, {**price, "medium": "Digital", "price": 1}])

    await acme.db.write(work)
    [row] = await read_csv(owner, format="merge-csv")
    assert row["renewal_price"] == "48.00"


async def test_the_price_of_a_renewal_is_raised_if_the_product_has_none(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscriber(acme, order_date="2026-01-15")
    await raise_renewals(acme, PriceRise(rate=500))
    [row] = await read_csv(owner, format="merge-csv")
    assert row["renewal_price"] == "44.10"
    [row] = await read_csv(owner, format="csv")
    assert row["price"] == "42.00"  # of the last order


async def test_a_membership_ends_on_a_day(acme: Cast, owner: Person) -> None:
    await make_membership(acme, status="Past due", is_recurring="true", period_end="2099-05-04")
    [row] = await read_csv(owner, format="merge-csv", list="past-due")
    assert (row["last_issue"], row["period_end"]) == ("", "4 May 2099")
    [row] = await read_csv(owner, format="csv", list="past-due")
    assert (row["last_issue"], row["period_end"]) == ("", "2099-05-04")


@pytest.mark.parametrize("format", ["xlsx", "merge-xlsx"])
async def test_a_workbook_has_the_same_rows(acme: Cast, owner: Person, format: str) -> None:
    await make_issue(acme)
    await make_subscriber(acme, last_name="=cmd()")
    content = await download(owner, format=format)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    assert "Allee 1" in sheet
    assert "=cmd()" in sheet
    assert "<f>" not in sheet  # no formulas
    assert sheet.count("<row ") == 2


async def test_a_long_list_is_read_in_parts(
    acme: Cast, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "ROWS", 2)
    await make_issue(acme)
    made = [await make_subscription(acme, length=1) for _ in range(5)]
    found = await read_csv(owner, format="csv", sort="ordered")
    assert [row["subscription_id"] for row in found] == sorted(each["id"] for each in made)


async def test_a_download_is_recorded(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    for query, name in (
        ({"list": ""}, "ending-now.csv"),
        ({"list": "lapsed", "ago": "3", "format": "merge-xlsx"}, "lapsed-3-mail-merge.xlsx"),
    ):
        await download(owner, **query)
        log = await owner.text("settings", "log")
        assert name in log


@for_each("query", [{"format": "doc"}, {"list": "over"}, {"ago": "0"}])
async def test_an_unknown_file_is_refused(owner: Person, query: dict[str, str]) -> None:
    response = await owner.see("ending", "download", **query)
    assert response.status_code == 400


async def test_a_file_has_the_language_of_the_account(acme: Cast, owner: Person) -> None:
    await make_issue(acme)
    await make_subscriber(acme)
    await owner.send(owner.address("settings", "account"), {"locale": "de_DE"})
    [row] = await read_csv(owner, format="csv")
    assert (row["Nachname"], row["Status"], row["Bezugsart"]) == ("Byron", "Aktiv", "Print")
    [letter] = await read_csv(owner, format="merge-csv")
    assert (letter["Anrede"], letter["Adresszeile 1"]) == ("Guten Tag Ada Byron,", "Ada Byron")


async def test_a_list_has_the_language_of_the_user_and_a_letter_that_of_the_account(
    acme: Cast, owner: Person
) -> None:
    await make_issue(acme)
    await make_subscriber(acme)
    await owner.post("/you/locale/", {"locale": "de-DE"})
    [row] = await read_csv(owner, format="csv")
    assert (row["Nachname"], row["Status"], row["Land"]) == ("Byron", "Aktiv", "Deutschland")
    [letter] = await read_csv(owner, format="merge-csv")
    assert letter["Salutation"] == "Dear Ada Byron,"


async def test_several_copies_for_one_address_are_one_row_one_letter_and_one_count(
    acme: Cast, owner: Person
) -> None:
    await set_up(acme, current=2)
    ids = await make_bundle(acme, 3)
    [row] = await read_csv(owner, format="csv")
    assert (row["subscription_id"], row["copies"], row["price"]) == (ids[0], "3", "30.00")
    [row] = await read_csv(owner, format="merge-csv")
    assert (row["copies"], row["renewal_price"]) == ("3", "30.00")
    assert "Print, 3 copies" in words(await owner.text("ending"))
    async with acme.db.read(aside=True) as db:
        account = await get_account(db, acme.account_id)
        plan = await plan_letters(db, account, RenewalStage.LAST)
        counts = await count_letters(db, account, RenewalStage.LAST)
    assert [each.candidate.copies for each in plan.letters] == [3]
    assert (counts.ended, sum(counts.by_channel.values()) + sum(counts.skipped.values())) == (1, 1)
