"""POST /v1/subscriptions/: which requests are refused, and that they change nothing."""

import json
from typing import Any

import pytest

from tests.conftest import Cast, Client
from tests.support.cases import for_each
from tests.support.expect import BAD_DATES, refused
from tests.support.factories import ABSENT, import_row, make_issue, make_subscription, manual

PATH = "/v1/subscriptions/"


async def refusal(cast: Cast, code: str, **fields: object) -> str:
    """Check that a body is refused and that nothing is written; return the error message."""
    message = refused(await cast.post(PATH, manual(cast, **fields)), code)
    assert (await cast.get(PATH)).json()["items"] == []
    assert (await cast.get("/v1/subscribers/")).json()["items"] == []
    assert (await cast.get("/v1/copies/")).json()["items"] == []
    return message


@for_each(
    "field",
    ["source", "start_issue", "length", "country", "order_id", "order_date", "price"],
)
async def test_a_missing_required_field_is_refused(shared: Cast, field: str) -> None:
    assert field in await refusal(shared, "validation_error", **{field: ABSENT})
    assert field in await refusal(shared, "validation_error", **{field: None})


@for_each("field", ["source", "country", "order_id", "price"])
@for_each("blank", ["", "   "])
async def test_a_blank_required_text_is_refused(shared: Cast, field: str, blank: str) -> None:
    response = await shared.post(PATH, manual(shared, **{field: blank}))
    assert response.status_code == 400
    assert field in response.json()["message"]


@for_each("nothing", [ABSENT, None, "", "  "])
async def test_a_company_is_required_if_the_first_name_is_omitted(
    shared: Cast, nothing: object
) -> None:
    message = await refusal(
        shared, "validation_error", first_name=nothing, company=nothing, last_name="Lovelace"
    )
    assert "company" in message


@for_each("length", [0, -1, 1001, 12.5, "4", True, None, [4]])
async def test_a_length_must_be_an_integer_from_1_to_1000(shared: Cast, length: object) -> None:
    assert "length" in await refusal(shared, "validation_error", length=length)


@for_each("start", ["1", True, 1.5, None, []])
async def test_a_start_issue_must_be_an_integer(shared: Cast, start: object) -> None:
    assert "start_issue" in await refusal(shared, "validation_error", start_issue=start)


async def test_a_start_issue_must_exist(shared: Cast, rival: Cast) -> None:
    await make_issue(rival, number=2)
    assert "2" in await refusal(shared, "unknown_start_issue", start_issue=2)


@pytest.mark.parametrize("source", ["checkout", "inactive_source"])
async def test_a_source_must_be_an_active_shop_or_import(acme: Cast, source: str) -> None:
    await make_issue(acme)
    assert "source" in await refusal(acme, "invalid_source", source=getattr(acme, source))


@for_each("source", ["NOSUCHSOURCE", "no such source!", "é"])
async def test_a_source_must_be_known(shared: Cast, source: str) -> None:
    assert "source" in await refusal(shared, "invalid_source", source=source)


async def test_a_source_of_another_account_is_unknown(acme: Cast, rival: Cast) -> None:
    await make_issue(acme)
    await refusal(acme, "invalid_source", source=rival.shop)


async def test_an_order_id_must_be_unique_and_the_error_names_its_subscription(acme: Cast) -> None:
    await make_issue(acme)
    holder = await make_subscription(acme, order_id="1001")
    response = await acme.post(PATH, manual(acme, order_id=" 1001 "))
    message = refused(response, "duplicate_order_id", id=holder["id"])
    assert "1001" in message
    assert holder["id"] in message
    assert len((await acme.get(PATH)).json()["items"]) == 1


async def test_an_order_id_must_differ_from_those_of_renewals(acme: Cast) -> None:
    await make_issue(acme)
    holder = await make_subscription(acme, order_id="1001")
    await import_row(acme, order_id="1002", renews="1001", length="4")
    response = await acme.post(PATH, manual(acme, order_id="1002"))
    message = refused(response, "duplicate_order_id", id=holder["id"])
    assert holder["id"] in message


async def test_an_order_id_must_be_a_string(shared: Cast) -> None:
    assert "order_id" in await refusal(shared, "validation_error", order_id=1001)


@for_each("day", [*BAD_DATES, None])
async def test_an_order_date_must_be_a_calendar_date(shared: Cast, day: object) -> None:
    assert "order_date" in await refusal(shared, "validation_error", order_date=day)


@for_each("day", ["1900-01-01", "2024-02-29"])
async def test_an_order_date_can_be_any_day_from_1900_on(
    acme: Cast, issue: dict[str, Any], day: str
) -> None:
    assert (await make_subscription(acme, order_date=day))["order_date"] == day


@for_each("field", ["price", "discount_amount"])
@for_each(
    "amount",
    [
        "-1",
        "+1",
        "1e3",
        "1,000.00",
        "1 000",
        "42,00",
        "€42",
        "42.001",
        "42.",
        ".50",
        "1234567890",
        "1234567890.00",
        "NaN",
        "Infinity",
        "free",
        "٤٢",  # Arabic-Indic digits
        42,
        42.0,
        True,
    ],
)
async def test_money_must_be_a_plain_decimal_string(
    shared: Cast, field: str, amount: object
) -> None:
    assert field in await refusal(shared, "validation_error", **{field: amount})


@for_each("currency, price", [("JPY", "4200.0"), ("KWD", "4.2500")])
async def test_money_must_have_no_more_decimals_than_its_currency(
    shared: Cast, currency: str, price: str
) -> None:
    assert "price" in await refusal(shared, "validation_error", currency=currency, price=price)


@for_each("currency", ["EURO", "E", "ABC", "€", 978])
async def test_a_currency_must_be_an_iso_code(shared: Cast, currency: object) -> None:
    assert "currency" in await refusal(shared, "validation_error", currency=currency)


@for_each("country", ["DEU", "D", "ZZ", "EU", "XA", "Germany", 49])
async def test_a_country_must_be_an_iso_code(shared: Cast, country: object) -> None:
    assert "country" in await refusal(shared, "validation_error", country=country)


@for_each("country", ["UK", "uk"])
async def test_uk_is_refused_with_a_hint_to_gb(shared: Cast, country: str) -> None:
    assert "GB" in await refusal(shared, "validation_error", country=country)


@for_each("medium", ["print", "Paper", "Print+digital", 1])
async def test_an_unknown_medium_is_refused(shared: Cast, medium: object) -> None:
    assert "medium" in await refusal(shared, "validation_error", medium=medium)


@pytest.mark.parametrize("price", ["0.01", "42.00"])
async def test_a_complimentary_subscription_with_a_price_is_refused(acme: Cast, price: str) -> None:
    await make_issue(acme)
    message = await refusal(acme, "validation_error", is_comp=True, price=price)
    assert "is_comp" in message


@for_each("field", ["is_recurring", "is_comp", "send_welcome_email"])
@for_each("value", ["true", 1, 0, []])
async def test_a_flag_must_be_true_or_false(shared: Cast, field: str, value: object) -> None:
    assert field in await refusal(shared, "validation_error", **{field: value})


TEXTS = (
    "first_name",
    "last_name",
    "company",
    "address1",
    "address2",
    "city",
    "state",
    "postcode",
    "phone",
    "notes",
    "order_id",
    "transaction_id",
    "promo_code",
)


@for_each("field", TEXTS)
async def test_a_text_above_its_limit_is_refused(shared: Cast, field: str) -> None:
    limit = 10_000 if field == "notes" else 255
    assert field in await refusal(shared, "validation_error", **{field: "x" * (limit + 1)})


@for_each("field", TEXTS)
async def test_a_text_field_must_be_a_string(shared: Cast, field: str) -> None:
    assert field in await refusal(shared, "validation_error", **{field: 7})


@for_each("character", ["\x00", "\ud800"])
async def test_nul_and_unpaired_surrogates_are_refused(
    client: Client, shared: Cast, character: str
) -> None:
    body = json.dumps(manual(shared, notes=f"a{character}b"))
    response = await client.post(
        PATH, key=shared.key, content=body, headers={"Content-Type": "application/json"}
    )
    assert response.status_code == 400
    assert response.json()["code"] in {"invalid_json", "validation_error"}


@for_each(
    "field", ["id", "type", "status", "is_gift", "refunded", "subscriber", "country_name", "Length"]
)
async def test_the_error_for_an_unknown_field_names_it(shared: Cast, field: str) -> None:
    assert field in await refusal(shared, "unknown_field", **{field: "x"})


@for_each("body", [[], "text", 7, False])
async def test_the_body_must_be_an_object(shared: Cast, body: object) -> None:
    refused(await shared.post(PATH, body), "invalid_json")


async def test_the_body_is_checked_before_any_query(acme: Cast) -> None:
    message = await refusal(acme, "validation_error", length=0, start_issue=99, source="NOSUCH")
    assert "length" in message


async def test_the_error_shows_the_refused_value_and_the_allowed_values(acme: Cast) -> None:
    await make_issue(acme)
    message = await refusal(acme, "validation_error", length=1001)
    assert "1001" in message
    assert "1000" in message


async def test_a_read_only_key_cannot_create_a_subscription(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    response = await client.post(PATH, key=acme.read_only_key, json=manual(acme))
    message = refused(response, "read_only_key", status=403)
    assert "read-write" in message
    assert (await acme.get(PATH)).json()["items"] == []
