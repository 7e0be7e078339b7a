"""POST /v1/subscriptions/: the new subscription, its period and its copies."""

import asyncio
from typing import Any

import pytest

from masthead.store.engine.interface import Database
from tests.conftest import Cast, Client, make_account
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    ABSENT,
    copies_of,
    make_issue,
    make_issues,
    make_subscription,
    manual,
)

PATH = "/v1/subscriptions/"
GIVEN = {
    "first_name": "Ada",
    "last_name": "Lovelace",
    "company": "Analytical Engines",
    "address1": "12 St James's Square",
    "address2": "Second floor",
    "city": "London",
    "state": "Greater London",
    "postcode": "00123",
    "country": "GB",
    "phone": "+44 20 7946 0000",
}


async def test_create_returns_201_and_the_subscription_as_get_shows_it(acme: Cast) -> None:
    await make_issue(acme)
    response = await acme.post(PATH, manual(acme))
    assert response.status_code == 201
    created = response.json()
    assert (await acme.get(f"{PATH}{created['id']}/")).json() == created


async def test_a_new_subscription_has_the_name_and_address_of_the_order(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, **GIVEN)
    assert created["first_name"] == "Ada"
    assert created["last_name"] == "Lovelace"
    address = {name: GIVEN[name] for name in GIVEN if not name.endswith("_name")}
    assert created["shipping_address"] == {**address, "country_name": "United Kingdom"}


async def test_a_new_subscription_has_the_notes_promo_code_and_order_date(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(
        acme, notes="Leave with the porter", promo_code="SPRING", order_date="2026-02-28"
    )
    assert created["notes"] == "Leave with the porter"
    assert created["promo_code"] == "SPRING"
    assert created["order_date"] == "2026-02-28"


async def test_a_transaction_id_is_accepted(acme: Cast) -> None:
    await make_issue(acme)
    response = await acme.post(PATH, manual(acme, transaction_id="ch_3NxA"))
    assert response.status_code == 201


async def test_a_new_subscription_is_an_active_issue_subscription(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    assert created["type"] == "subscription"
    assert created["status"] == "Active"
    assert created["interval_months"] is None
    assert created["current_period_start"] is None
    assert created["current_period_end"] is None


async def test_a_new_subscription_names_its_source(acme: Cast) -> None:
    await make_issue(acme)
    sources = {
        each["id"]: each["name"] for each in (await acme.get("/v1/sources/")).json()["items"]
    }
    for source in (acme.shop, acme.imported):
        created = await make_subscription(acme, source=source)
        assert created["source"] == {"id": source, "name": sources[source]}


async def test_a_new_subscription_has_the_imported_product_without_benefits(acme: Cast) -> None:
    await make_issue(acme)
    first = (await make_subscription(acme))["product"]
    assert first["name"] == "Imported subscription"
    assert first["benefits"] == []
    assert (await make_subscription(acme))["product"] == first


async def test_the_start_issue_is_a_reference(acme: Cast) -> None:
    issue = await make_issue(acme, number=7, name="The Seventh")
    created = await make_subscription(acme, start_issue=7)
    assert created["start_issue"] == {"id": issue["id"], "number": 7, "name": "The Seventh"}


async def test_the_issue_list_includes_issues_that_do_not_exist_yet(acme: Cast) -> None:
    await make_issue(acme, number=3)
    created = await make_subscription(acme, start_issue=3, length=4)
    assert created["issue_list"] == [3, 4, 5, 6]
    assert created["length"] == 4
    assert created["total_length"] == 4


async def test_a_new_subscription_has_one_period_for_its_order(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, length=2, order_date="2026-01-31", order_id="P-1")
    (period,) = created["periods"]
    assert type(period["id"]) is int
    assert period == {
        "id": period["id"],
        "order_date": "2026-01-31",
        "is_complete": False,
        "length": 2,
        "interval_months": None,
        "period_start": None,
        "period_end": None,
        "issue_list": [1, 2],
        "order_id": "P-1",
        "transaction_id": None,
        "price": "42.00",
        "currency": acme.currency,
        "discount_amount": "0.00",
        "refunded": "0.00",
        "source": created["source"],
    }


async def test_a_new_subscription_has_one_copy_of_each_existing_issue_in_its_list(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 6)
    created = await make_subscription(acme, start_issue=2, length=3, country="FR")
    copies = await copies_of(acme, created["id"])
    assert [copy["issue"]["number"] for copy in copies] == [2, 3, 4]
    for copy in copies:
        assert copy["status"] == "Not sent"
        assert copy["date_sent"] is None
        assert copy["country"] == "FR"
        assert copy["subscriber_id"] == created["subscriber"]["id"]


@for_each("length", [1, 1000, 12.0])
async def test_length_is_an_integer_from_1_to_1000_and_may_be_written_as_a_float(
    acme: Cast, issue: dict[str, Any], length: float
) -> None:
    created = await make_subscription(acme, length=length)
    assert created["length"] == length
    assert type(created["length"]) is int
    assert len(created["issue_list"]) == length


async def test_a_start_issue_may_be_written_as_a_float(acme: Cast) -> None:
    await make_issue(acme, number=2)
    assert (await make_subscription(acme, start_issue=2.0))["start_issue"]["number"] == 2


@for_each("medium", ["Print", "Digital", "Print + digital"])
async def test_each_of_the_three_media_is_stored(
    acme: Cast, issue: dict[str, Any], medium: str
) -> None:
    assert (await make_subscription(acme, medium=medium))["medium"] == medium


async def test_medium_defaults_to_print(acme: Cast) -> None:
    await make_issue(acme)
    assert (await make_subscription(acme, medium=ABSENT))["medium"] == "Print"


@pytest.mark.parametrize("flag", [True, False])
async def test_is_recurring_is_stored(acme: Cast, flag: bool) -> None:
    await make_issue(acme)
    assert (await make_subscription(acme, is_recurring=flag))["is_recurring"] is flag


async def test_flags_default_to_false(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, is_recurring=ABSENT, is_comp=ABSENT)
    assert created["is_recurring"] is False
    assert created["is_comp"] is False
    assert created["is_gift"] is False
    assert created["gifter"] is None


async def test_a_recurring_subscription_is_charged_with_the_issue_after_its_last(
    acme: Cast,
) -> None:
    await make_issues(acme, 1, 2)
    await make_issue(acme, number=3, recurring_charge_date="2026-09-01")
    created = await make_subscription(acme, length=2, is_recurring=True)
    assert created["next_charge_date"] == "2026-09-01"


async def test_a_subscription_that_does_not_recur_has_no_next_charge_date(acme: Cast) -> None:
    await make_issues(acme, 1, 2)
    await make_issue(acme, number=3, recurring_charge_date="2026-09-01")
    created = await make_subscription(acme, length=2, is_recurring=False)
    assert created["next_charge_date"] is None


@pytest.mark.parametrize("price", ["0", "0.00"])
async def test_a_complimentary_subscription_costs_nothing(acme: Cast, price: str) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, is_comp=True, price=price)
    assert created["is_comp"] is True
    assert created["price"] == "0.00"


@for_each(
    "currency, price, shown, zero",
    [
        ("EUR", "42", "42.00", "0.00"),
        ("EUR", "42.5", "42.50", "0.00"),
        ("EUR", "999999999.99", "999999999.99", "0.00"),
        ("JPY", "4200", "4200", "0"),
        ("KWD", "4.25", "4.250", "0.000"),
        ("usd", "0042.10", "42.10", "0.00"),
    ],
)
async def test_money_has_the_precision_of_its_currency(
    acme: Cast, issue: dict[str, Any], currency: str, price: str, shown: str, zero: str
) -> None:
    created = await make_subscription(acme, currency=currency, price=price)
    assert created["currency"] == currency.upper()
    assert created["price"] == shown
    assert created["discount_amount"] == zero
    assert created["refunded"] == zero


async def test_discount_amount_is_money_in_the_same_currency(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, currency="KWD", price="4", discount_amount="1.5")
    assert created["discount_amount"] == "1.500"


async def test_currency_defaults_to_the_selling_currency_of_the_account(acme: Cast) -> None:
    await make_issue(acme)
    assert (await make_subscription(acme, currency=ABSENT))["currency"] == acme.currency


async def test_the_default_currency_decides_the_precision(client: Client, db: Database) -> None:
    tokyo = await make_account(client, db, "Tokyo", currency="JPY")
    await make_issue(tokyo)
    created = await make_subscription(tokyo, price="4200")
    assert (created["currency"], created["price"]) == ("JPY", "4200")
    response = await tokyo.post(PATH, manual(tokyo, price="42.00"))
    assert "JPY" in refused(response, "validation_error")


@for_each(
    "country, stored, name",
    [("DE", "DE", "Germany"), ("fr", "FR", "France"), ("XK", "XK", "Kosovo")],
)
async def test_country_is_stored_in_upper_case_with_its_english_name(
    acme: Cast, issue: dict[str, Any], country: str, stored: str, name: str
) -> None:
    address = (await make_subscription(acme, country=country))["shipping_address"]
    assert address["country"] == stored
    assert address["country_name"] == name


async def test_strings_are_trimmed(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(
        acme, first_name="  Ada ", city="\tLondon\n", country=" de ", price=" 42.00 "
    )
    assert created["first_name"] == "Ada"
    assert created["shipping_address"]["city"] == "London"
    assert created["shipping_address"]["country"] == "DE"
    assert created["price"] == "42.00"


OPTIONAL_TEXTS = (
    "last_name",
    "company",
    "address1",
    "address2",
    "city",
    "state",
    "postcode",
    "phone",
    "notes",
    "promo_code",
)


@for_each("nothing", ["", "  ", None, ABSENT])
async def test_an_empty_or_null_optional_field_counts_as_absent(
    acme: Cast, issue: dict[str, Any], nothing: object
) -> None:
    optional = (*OPTIONAL_TEXTS, "email", "transaction_id", "medium", "currency", "discount_amount")
    created = await make_subscription(acme, **dict.fromkeys(optional, nothing))
    shown = {**created, **created["shipping_address"]}
    assert {name: shown[name] for name in OPTIONAL_TEXTS} == dict.fromkeys(OPTIONAL_TEXTS)
    assert created["medium"] == "Print"
    assert created["currency"] == acme.currency
    assert created["discount_amount"] == "0.00"


async def test_null_flags_count_as_absent(acme: Cast) -> None:
    await make_issue(acme)
    flags = dict.fromkeys(("is_recurring", "is_comp", "send_welcome_email"))
    created = await make_subscription(acme, **flags)
    assert created["is_recurring"] is False
    assert created["is_comp"] is False


async def test_a_company_may_replace_the_first_name(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, first_name=ABSENT, company="City Library")
    assert created["first_name"] is None
    assert created["shipping_address"]["company"] == "City Library"
    assert created["subscriber"]["full_name"] == "City Library"


async def test_texts_may_be_as_long_as_their_limits(acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme, city="é" * 255, notes="é" * 10_000)
    assert created["shipping_address"]["city"] == "é" * 255
    assert created["notes"] == "é" * 10_000


async def test_two_accounts_can_use_the_same_order_id(acme: Cast, rival: Cast) -> None:
    for cast in (acme, rival):
        await make_issue(cast)
        created = await make_subscription(cast, order_id="1001")
        assert created["issue_list"] == [1, 2, 3, 4]


async def test_only_one_of_several_concurrent_requests_with_the_same_order_id_succeeds(
    acme: Cast,
) -> None:
    await make_issue(acme)
    body = manual(acme, order_id="1001")
    answers = await asyncio.gather(*(acme.post(PATH, body) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [201, 400, 400, 400, 400]
    (created,) = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    for answer in answers:
        if answer.status_code == 400:
            refused(answer, "duplicate_order_id", id=created)
    assert len((await acme.get(PATH)).json()["items"]) == 1
