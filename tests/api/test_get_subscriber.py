"""GET /v1/subscribers/{id}/: the shape, and the totals of all subscriptions."""

import asyncio
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.conftest import Cast, Client, make_account
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    fresh_order_id,
    import_row,
    make_issue,
    make_membership,
    make_subscription,
)

PATH = "/v1/subscribers/"
ADA = {"email": "ada@example.test", "first_name": "Ada", "last_name": "Lovelace"}


async def subscriber_of(cast: Cast, subscription: dict[str, Any]) -> dict[str, Any]:
    """The subscriber of a subscription, as GET returns it."""
    response = await cast.get(f"{PATH}{subscription['subscriber']['id']}/")
    assert response.status_code == 200
    subscriber: dict[str, Any] = response.json()
    return subscriber


async def test_a_subscriber_is_shown_in_full(acme: Cast) -> None:
    await make_issue(acme)
    today = datetime.now(UTC).date().isoformat()
    subscription = await make_subscription(
        acme, **ADA, country="GB", price="42", order_date="2026-01-15"
    )
    subscriber = await subscriber_of(acme, subscription)
    assert subscriber.pop("date_created") in (today, datetime.now(UTC).date().isoformat())
    assert subscriber == {
        "id": subscription["subscriber"]["id"],
        "first_name": "Ada",
        "last_name": "Lovelace",
        "full_name": "Ada Lovelace",
        "email": "ada@example.test",
        "latest_country": "GB",
        "latest_order_date": "2026-01-15",
        "has_active_subscription": True,
        "subscription_count": 1,
        "ltv": "42.00",
        "ltv_currency": "EUR",
    }


async def test_an_id_consists_of_capital_letters_and_digits(acme: Cast) -> None:
    await make_issue(acme)
    id = (await make_subscription(acme))["subscriber"]["id"]
    assert id.isascii()
    assert id.isalnum()
    assert id == id.upper()


async def test_the_list_shows_the_same_fields(acme: Cast) -> None:
    await make_issue(acme)
    subscriber = await subscriber_of(acme, await make_subscription(acme, **ADA))
    assert (await acme.get(PATH)).json()["items"] == [subscriber]


async def test_a_read_only_key_can_read_a_subscriber(client: Client, acme: Cast) -> None:
    await make_issue(acme)
    id = (await make_subscription(acme))["subscriber"]["id"]
    assert (await client.get(f"{PATH}{id}/", key=acme.read_only_key)).status_code == 200


async def test_an_unknown_id_gets_a_404_that_names_it(acme: Cast) -> None:
    message = refused(await acme.get(f"{PATH}NOBODY/"), "not_found", status=404)
    assert "NOBODY" in message
    assert "subscriber" in message


async def test_the_id_of_a_subscription_is_not_found(acme: Cast) -> None:
    await make_issue(acme)
    id = (await make_subscription(acme))["id"]
    refused(await acme.get(f"{PATH}{id}/"), "not_found", status=404)


# --- names ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "names, full_name",
    [
        ({"first_name": "Ada", "last_name": "Lovelace"}, "Ada Lovelace"),
        ({"first_name": "Ada"}, "Ada"),
        ({"first_name": "", "last_name": "Lovelace", "company": "Engines"}, "Lovelace"),
        ({"first_name": "Ada", "company": "Engines"}, "Ada"),
        ({"first_name": "", "company": "Engines"}, "Engines"),
    ],
)
async def test_the_full_name_is_the_names_or_the_company(
    acme: Cast, names: dict[str, str], full_name: str
) -> None:
    await make_issue(acme)
    subscriber = await subscriber_of(acme, await make_subscription(acme, **names))
    assert subscriber["full_name"] == full_name
    assert subscriber["first_name"] == (names.get("first_name") or None)
    assert subscriber["last_name"] == names.get("last_name")


async def test_a_new_subscription_does_not_overwrite_the_names_of_the_subscriber(
    acme: Cast,
) -> None:
    await make_issue(acme)
    before = await subscriber_of(acme, await make_subscription(acme, **ADA))
    second = await make_subscription(acme, email="ADA@Example.test", first_name="Augusta")
    after = await subscriber_of(acme, second)
    assert after["id"] == before["id"]
    assert (after["first_name"], after["last_name"]) == ("Ada", "Lovelace")
    assert after["email"] == "ada@example.test"


async def test_patching_the_names_of_a_subscription_does_not_change_the_subscriber(
    acme: Cast,
) -> None:
    await make_issue(acme)
    subscription = await make_subscription(acme, **ADA)
    before = await subscriber_of(acme, subscription)
    path = f"/v1/subscriptions/{subscription['id']}/"
    response = await acme.patch(path, {"first_name": "Augusta", "last_name": "King"})
    assert response.json()["first_name"] == "Augusta"
    assert await subscriber_of(acme, subscription) == before


async def test_without_email_a_placeholder_address_is_created(acme: Cast) -> None:
    await make_issue(acme)
    first = await subscriber_of(acme, await make_subscription(acme))
    second = await subscriber_of(acme, await make_subscription(acme))
    assert first["email"].endswith("@placeholder.example")
    assert first["email"] != second["email"]
    assert first["id"] != second["id"]


# --- count and activity ---------------------------------------------------------------------------


async def test_subscription_count_counts_all_subscriptions(acme: Cast) -> None:
    await make_issue(acme)
    first = await make_subscription(acme, **ADA)
    await make_subscription(acme, **ADA)
    await make_membership(acme, email="ada@example.test")
    await make_subscription(acme, email="bob@example.test")
    await acme.post(f"/v1/subscriptions/{first['id']}/cancel/", {"mode": "cancel"})
    assert (await subscriber_of(acme, first))["subscription_count"] == 3


async def cancelled(cast: Cast) -> dict[str, Any]:
    """A subscription that was cancelled."""
    made = await make_subscription(cast)
    await cast.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
    return made


async def completed(cast: Cast) -> dict[str, Any]:
    """A subscription whose copies were all sent."""
    made = await make_subscription(cast, length=1)
    ids = [copy["id"] for copy in await copies_of(cast, made["id"])]
    await cast.post("/v1/copies/mark-sent/", {"ids": ids})
    return made


async def stopped(cast: Cast) -> dict[str, Any]:
    """A subscription whose renewals were stopped."""
    made = await make_subscription(cast, is_recurring=True)
    await cast.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "stop_renewals"})
    return made


async def past_due(cast: Cast) -> dict[str, Any]:
    """A membership whose payment is due."""
    return await make_membership(cast, is_recurring="true", status="Past due")


@pytest.mark.parametrize(
    "make, status, is_active",
    [
        (make_subscription, "Active", True),
        (stopped, "Active - Renewals stopped", True),
        (past_due, "Past due", True),
        (cancelled, "Cancelled", False),
        (completed, "Complete", False),
    ],
)
async def test_an_active_stopped_or_past_due_subscription_counts_as_active(
    acme: Cast, make: Any, status: str, is_active: bool
) -> None:
    await make_issue(acme)
    made = await make(acme)
    shown = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert shown["status"] == status
    assert (await subscriber_of(acme, made))["has_active_subscription"] is is_active


async def test_a_subscriber_with_one_active_subscription_is_active(acme: Cast) -> None:
    await make_issue(acme)
    first = await make_subscription(acme, **ADA)
    second = await make_subscription(acme, **ADA)
    for made, is_active in ((first, True), (second, False)):
        await acme.post(f"/v1/subscriptions/{made['id']}/cancel/", {"mode": "cancel"})
        assert (await subscriber_of(acme, first))["has_active_subscription"] is is_active


# --- latest order ---------------------------------------------------------------------------------


async def test_latest_order_date_and_country_are_those_of_the_newest_order_date(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, **ADA, order_date="2025-05-01", country="FR")
    made = await make_subscription(acme, **ADA, order_date="2024-05-01", country="GB")
    subscriber = await subscriber_of(acme, made)
    assert subscriber["latest_order_date"] == "2025-05-01"
    assert subscriber["latest_country"] == "FR"


async def test_if_order_dates_are_equal_the_newest_subscription_counts(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, **ADA, order_date="2025-05-01", country="FR")
    await asyncio.sleep(0.002)  # ids of one millisecond are in no order of creation
    made = await make_subscription(acme, **ADA, order_date="2025-05-01", country="GB")
    assert (await subscriber_of(acme, made))["latest_country"] == "GB"


async def test_a_renewal_counts_as_an_order(acme: Cast) -> None:
    await make_issue(acme)
    order = fresh_order_id()
    renewed = {"order_id": order, "start_issue": "1", "length": "2", "country": "AT"}
    made = await import_row(acme, email="ada@example.test", **renewed, order_date="2024-01-01")
    await make_subscription(acme, **ADA, order_date="2025-01-01", country="FR")
    assert (await subscriber_of(acme, made))["latest_country"] == "FR"
    await import_row(
        acme, renews=order, length="2", order_date="2026-01-01", price="10", country="AT"
    )
    subscriber = await subscriber_of(acme, made)
    assert subscriber["latest_order_date"] == "2026-01-01"
    assert subscriber["latest_country"] == "AT"
    assert subscriber["subscription_count"] == 2


async def test_latest_country_changes_with_the_country_of_its_subscription(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, **ADA, country="DE")
    await acme.patch(f"/v1/subscriptions/{made['id']}/", {"country": "CH"})
    assert (await subscriber_of(acme, made))["latest_country"] == "CH"


# --- lifetime value -------------------------------------------------------------------------------


async def test_ltv_sums_the_prices_of_all_orders(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, **ADA, price="42.00")
    made = await make_subscription(acme, **ADA, price="0.5")
    assert (await subscriber_of(acme, made))["ltv"] == "42.50"


async def test_ltv_subtracts_refunds_and_includes_renewals(acme: Cast) -> None:
    await make_issue(acme)
    order = fresh_order_id()
    made = await import_row(
        acme,
        order_id=order,
        email="ada@example.test",
        start_issue="1",
        length="2",
        price="40",
        refunded="15.25",
    )
    assert (await subscriber_of(acme, made))["ltv"] == "24.75"
    await import_row(acme, renews=order, length="2", price="30", refunded="1")
    assert (await subscriber_of(acme, made))["ltv"] == "53.75"


async def test_ltv_is_not_changed_by_a_cancellation(acme: Cast) -> None:
    await make_issue(acme)
    made = await cancelled(acme)
    assert (await subscriber_of(acme, made))["ltv"] == "42.00"


async def test_the_ltv_ignores_other_currencies(acme: Cast) -> None:
    await make_issue(acme)
    await make_subscription(acme, **ADA, price="42.00", currency="EUR")
    made = await make_subscription(acme, **ADA, price="1000.00", currency="USD")
    subscriber = await subscriber_of(acme, made)
    assert subscriber["ltv"] == "42.00"
    assert subscriber["ltv_currency"] == "EUR"


@pytest.mark.parametrize(
    "currency, price, ltv",
    [("JPY", "4200", "8400"), ("KWD", "4.25", "8.500"), ("USD", "42", "84.00")],
)
async def test_ltv_is_in_the_precision_of_the_selling_currency(
    acme: Cast, currency: str, price: str, ltv: str
) -> None:
    cast = await make_account(acme.client, acme.db, "Abroad", currency)
    await make_issue(cast)
    await make_subscription(cast, **ADA, price=price)
    made = await make_subscription(cast, **ADA, price=price)
    subscriber = await subscriber_of(cast, made)
    assert subscriber["ltv"] == ltv
    assert subscriber["ltv_currency"] == currency


async def test_the_ltv_of_a_complimentary_subscription_is_zero_with_decimals(acme: Cast) -> None:
    await make_issue(acme)
    made = await make_subscription(acme, is_comp=True, price="0")
    assert (await subscriber_of(acme, made))["ltv"] == "0.00"


async def test_ltv_can_exceed_32_bits(acme: Cast) -> None:
    await make_issue(acme)
    for _ in range(2):
        await make_subscription(acme, **ADA, price="999999999.99")
    made = await make_subscription(acme, **ADA, price="999999999.99")
    assert (await subscriber_of(acme, made))["ltv"] == "2999999999.97"
