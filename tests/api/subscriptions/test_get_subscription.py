"""GET /v1/subscriptions/{id}/: the full shape, every field with its right type."""

from typing import Any

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import import_row, make_issue, make_membership, make_subscription

PATH = "/v1/subscriptions/"


async def get(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """The subscription, as GET returns it."""
    response = await cast.get(f"{PATH}{subscription_id}/")
    assert response.status_code == 200
    shown: dict[str, Any] = response.json()
    return shown


async def test_a_subscription_with_all_fields_is_shown_in_full(acme: Cast) -> None:
    issue = await make_issue(acme, number=1, name="Spring")
    created = await import_row(
        acme,
        order_id="1001",
        transaction_id="ch_1",
        email="ada@example.test",
        first_name="Ada",
        last_name="Lovelace",
        company="Analytical Engines",
        address1="12 St James's Square",
        address2="Second floor",
        city="London",
        state="Greater London",
        postcode="00123",
        country="GB",
        phone="+44 20 7946 0000",
        start_issue="1",
        length="2",
        is_recurring="true",
        is_gift="true",
        gifter_name="Charles Babbage",
        gifter_email="charles@example.test",
        medium="Print + digital",
        price="42",
        currency="GBP",
        discount_amount="2.5",
        refunded="10",
        promo_code="SPRING",
        order_date="2026-01-15",
        notes="Leave with the porter",
    )
    await make_issue(acme, number=3, recurring_charge_date="2026-09-01")
    shown = await get(acme, created["id"])
    assert shown == {
        "id": created["id"],
        "type": "subscription",
        "status": "Active",
        "medium": "Print + digital",
        "first_name": "Ada",
        "last_name": "Lovelace",
        "shipping_address": {
            "company": "Analytical Engines",
            "address1": "12 St James's Square",
            "address2": "Second floor",
            "city": "London",
            "state": "Greater London",
            "postcode": "00123",
            "country": "GB",
            "country_name": "United Kingdom",
            "phone": "+44 20 7946 0000",
        },
        "length": 2,
        "interval_months": None,
        "total_length": 2,
        "notes": "Leave with the porter",
        "is_recurring": True,
        "current_period_start": None,
        "current_period_end": None,
        "next_charge_date": "2026-09-01",
        "is_comp": False,
        "is_gift": True,
        "gifter": {"full_name": "Charles Babbage", "email": "charles@example.test"},
        "promo_code": "SPRING",
        "discount_amount": "2.50",
        "refunded": "10.00",
        "currency": "GBP",
        "price": "42.00",
        "order_date": "2026-01-15",
        "start_issue": {"id": issue["id"], "number": 1, "name": "Spring"},
        "issue_list": [1, 2],
        "periods": [
            {
                "id": shown["periods"][0]["id"],
                "order_date": "2026-01-15",
                "is_complete": False,
                "length": 2,
                "interval_months": None,
                "period_start": None,
                "period_end": None,
                "issue_list": [1, 2],
                "order_id": "1001",
                "transaction_id": "ch_1",
                "price": "42.00",
                "currency": "GBP",
                "discount_amount": "2.50",
                "refunded": "10.00",
                "source": {"id": acme.imported, "name": shown["source"]["name"]},
            }
        ],
        "subscriber": {
            "id": shown["subscriber"]["id"],
            "full_name": "Ada Lovelace",
            "email": "ada@example.test",
        },
        "source": {"id": acme.imported, "name": shown["source"]["name"]},
        "product": {
            "id": shown["product"]["id"],
            "name": "Imported subscription",
            "benefits": [],
        },
    }


async def test_a_membership_is_shown_in_full(acme: Cast) -> None:
    await make_issue(acme, number=5, release_date_actual="2099-03-01")
    created = await make_membership(
        acme,
        order_id="2001",
        email="bob@example.test",
        first_name="Bob",
        last_name="",
        country="DE",
        interval_months="3",
        period_start="2099-01-01",
        period_end="2099-03-31",
        is_recurring="true",
        price="15",
        currency="EUR",
        order_date="2098-12-24",
    )
    shown = await get(acme, created["id"])
    assert shown == {
        "id": created["id"],
        "type": "membership",
        "status": "Active",
        "medium": "Print",
        "first_name": "Bob",
        "last_name": None,
        "shipping_address": shown["shipping_address"],
        "length": None,
        "interval_months": 3,
        "total_length": 1,
        "notes": None,
        "is_recurring": True,
        "current_period_start": "2099-01-01",
        "current_period_end": "2099-03-31",
        "next_charge_date": "2099-04-01",
        "is_comp": False,
        "is_gift": False,
        "gifter": None,
        "promo_code": None,
        "discount_amount": "0.00",
        "refunded": "0.00",
        "currency": "EUR",
        "price": "15.00",
        "order_date": "2098-12-24",
        "start_issue": None,
        "issue_list": [5],
        "periods": [
            {
                "id": shown["periods"][0]["id"],
                "order_date": "2098-12-24",
                "is_complete": False,
                "length": shown["periods"][0]["length"],
                "interval_months": 3,
                "period_start": "2099-01-01",
                "period_end": "2099-03-31",
                "issue_list": [5],
                "order_id": "2001",
                "transaction_id": None,
                "price": "15.00",
                "currency": "EUR",
                "discount_amount": "0.00",
                "refunded": "0.00",
                "source": {"id": acme.imported, "name": shown["source"]["name"]},
            }
        ],
        "subscriber": {
            "id": shown["subscriber"]["id"],
            "full_name": "Bob",
            "email": "bob@example.test",
        },
        "source": {"id": acme.imported, "name": shown["source"]["name"]},
        "product": shown["product"],
    }
    assert set(shown["product"]) == {"id", "name", "benefits"}


async def test_ids_are_strings_and_period_ids_are_integers(acme: Cast) -> None:
    await make_issue(acme)
    shown = await get(acme, (await make_subscription(acme))["id"])
    assert type(shown["periods"][0]["id"]) is int
    for each in (shown, shown["start_issue"], shown["subscriber"], shown["source"]):
        assert each["id"].isascii()
        assert each["id"].isalnum()
        assert each["id"].upper() == each["id"]


async def test_numbers_are_json_numbers_and_flags_are_json_booleans(acme: Cast) -> None:
    await make_issue(acme)
    shown = await get(acme, (await make_subscription(acme))["id"])
    assert [type(shown[name]) for name in ("length", "total_length")] == [int, int]
    assert [type(number) for number in shown["issue_list"]] == [int] * 4
    for flag in ("is_recurring", "is_comp", "is_gift"):
        assert shown[flag] is False
    assert shown["periods"][0]["is_complete"] is False


async def test_money_is_a_string_in_the_precision_of_its_currency(acme: Cast) -> None:
    await make_issue(acme)
    created = await import_row(
        acme, start_issue="1", length="1", price="4.25", currency="KWD", refunded="1"
    )
    shown = await get(acme, created["id"])
    assert shown["price"] == "4.250"
    assert shown["refunded"] == "1.000"
    assert shown["discount_amount"] == "0.000"


async def test_a_renewed_subscription_shows_its_first_order_date_and_last_price(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(
        acme, order_id="1001", length=4, price="42.00", promo_code="A", order_date="2026-01-15"
    )
    renewed = await import_row(
        acme,
        order_id="1002",
        renews="1001",
        start_issue="",
        length="2",
        price="24",
        currency="EUR",
        discount_amount="3",
        refunded="4",
        order_date="2027-01-15",
    )
    shown = await get(acme, renewed["id"])
    assert shown["order_date"] == "2026-01-15"
    assert shown["price"] == "24.00"
    assert shown["discount_amount"] == "3.00"
    assert shown["refunded"] == "4.00"
    assert shown["length"] == 2
    assert shown["total_length"] == 6
    assert shown["issue_list"] == [1, 2, 3, 4, 5, 6]
    assert [
        (period["issue_list"], period["order_id"], period["price"], period["source"]["id"])
        for period in shown["periods"]
    ] == [
        ([1, 2, 3, 4], "1001", "42.00", acme.shop),
        ([5, 6], "1002", "24.00", acme.imported),
    ]
    assert [period["order_date"] for period in shown["periods"]] == ["2026-01-15", "2027-01-15"]
    assert [period["length"] for period in shown["periods"]] == [4, 2]


async def test_the_full_name_is_the_names_or_the_company_or_the_email(acme: Cast) -> None:
    await make_issue(acme)
    names = [
        ({"first_name": "Ada", "last_name": "Lovelace"}, "Ada Lovelace"),
        ({"first_name": "Ada", "company": "Engines"}, "Ada"),
        ({"first_name": "", "last_name": "Lovelace", "company": "Engines"}, "Lovelace"),
        ({"first_name": "", "company": "Engines"}, "Engines"),
    ]
    for fields, full_name in names:
        created = await make_subscription(acme, **fields)
        assert created["subscriber"]["full_name"] == full_name


@for_each("unknown", ["NOSUCHSUBSCRIPTION", "é", "a-b", "0", "%25", "x" * 300])
async def test_an_unknown_id_is_not_found(acme: Cast, unknown: str) -> None:
    refused(await acme.get(f"{PATH}{unknown}/"), "not_found", status=404)


async def test_a_subscription_of_another_account_is_not_found(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    theirs = (await make_subscription(rival))["id"]
    answer = refused(await acme.get(f"{PATH}{theirs}/"), "not_found", status=404)
    unknown = refused(await acme.get(f"{PATH}NOSUCH/"), "not_found", status=404)
    assert answer.replace(theirs, "NOSUCH") == unknown


async def test_a_read_only_key_can_read_a_subscription(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    created = await make_subscription(acme)
    response = await client.get(f"{PATH}{created['id']}/", key=acme.read_only_key)
    assert response.json() == created
