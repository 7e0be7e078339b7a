"""Orders of all kinds, by the service of the order form, and many in one request."""

from datetime import timedelta
from typing import Any

import pytest

from masthead.model.clock import now
from masthead.model.dispatch.runs import CountryGroup
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.services import products
from masthead.services.products import create_product, set_product_active
from tests.conftest import BY, Cast
from tests.support.factories import ABSENT, copies_of, made, make_issue, make_subscription, manual
from tests.support.privacy import erase
from tests.support.walk import walk

MEMBER = {"type": "membership", "start_issue": ABSENT, "length": ABSENT}
GIVER = {"is_gift": True, "gifter_email": "grace@give.test", "gifter_first_name": "Grace"}


async def order(cast: Cast, **fields: object) -> list[dict[str, Any]]:
    placed = made(await cast.post("/v1/orders/", manual(cast, **fields)))
    subscriptions: list[dict[str, Any]] = placed["subscriptions"]
    return subscriptions


async def emails_of(cast: Cast) -> list[str]:
    rows = await cast.db.fetch_all(
        "SELECT recipient FROM outbox WHERE account_id = :account ORDER BY id",
        {"account": cast.account_id},
    )
    return [row["recipient"] for row in rows]


async def test_an_order_is_the_subscription_that_the_api_shows(acme: Cast) -> None:
    await make_issue(acme)
    [created] = await order(acme, email="ada@a.test", send_welcome_email=True)
    assert created == (await acme.get(f"/v1/subscriptions/{created['id']}/")).json()
    assert len(await copies_of(acme, created["id"])) == 1
    assert await emails_of(acme) == ["ada@a.test"]


async def test_a_gift_has_its_giver_as_a_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    [gift] = await order(acme, email="ada@a.test", **GIVER, send_welcome_email=True)
    assert gift["is_gift"]
    assert gift["gifter"] == {"full_name": "Grace", "email": "grace@give.test"}
    [giver] = (await acme.get("/v1/subscribers/", email="grace@give.test")).json()["items"]
    [again] = await order(acme, **{**GIVER, "gifter_first_name": ABSENT}, gifter_id=giver["id"])
    assert again["gifter"] == gift["gifter"]
    assert await emails_of(acme) == ["ada@a.test"]


async def test_a_giver_without_an_email_is_shown_with_their_placeholder(acme: Cast) -> None:
    await make_issue(acme)
    [own] = await order(acme, email=ABSENT, first_name="Grace")
    giver = own["subscriber"]
    [gift] = await order(acme, email="ada@a.test", is_gift=True, gifter_id=giver["id"])
    assert gift["gifter"] == {"full_name": "Grace", "email": giver["email"]}
    await erase(acme, giver["id"])
    erased = (await acme.get(f"/v1/subscriptions/{own['id']}/")).json()["subscriber"]
    shown = (await acme.get(f"/v1/subscriptions/{gift['id']}/")).json()["gifter"]
    assert shown == {each: erased[each] for each in ("full_name", "email")}


async def test_a_known_subscriber_has_an_email_to_be_welcomed_by_and_is_not_erased(
    acme: Cast,
) -> None:
    await make_issue(acme)
    [first] = await order(acme, email=ABSENT, first_name="Grace")
    id = first["subscriber"]["id"]
    [again] = await order(acme, subscriber_id=id, first_name="Grace", send_welcome_email=True)
    assert again["subscriber"]["id"] == id
    assert await emails_of(acme) == []
    await erase(acme, id)
    refused = await acme.post("/v1/orders/", manual(acme, subscriber_id=id))
    assert (refused.status_code, refused.json()["code"]) == (410, "erased")


async def test_a_membership_begins_on_the_day_of_its_order(acme: Cast) -> None:
    [member] = await order(acme, **MEMBER, interval_months=3)
    assert (member["type"], member["interval_months"]) == ("membership", 3)
    dates = member["current_period_start"], member["current_period_end"]
    assert dates == ("2026-01-15", "2026-04-14")


async def test_several_copies_share_the_price_and_the_subscriber(acme: Cast) -> None:
    await make_issue(acme)
    three = await order(acme, copies=3, price="10.00", company="Acme", order_id="B-1")
    assert [each["price"] for each in three] == ["3.34", "3.33", "3.33"]
    assert len({each["subscriber"]["id"] for each in three}) == 1
    for order_id, each in zip(["B-1", "B-1-2", "B-1-3"], three, strict=True):
        found = await walk(acme, "/v1/subscriptions/", order_id=order_id)
        assert [one["id"] for one in found] == [each["id"]]


async def test_a_product_says_the_type_and_the_months(acme: Cast) -> None:
    product = await create_product(
        acme.db,
        acme.account_id,
        name="A year",
        offer=Offer(type=SubscriptionType.MEMBERSHIP, interval_months=12),
        by=BY,
    )
    [member] = await order(acme, product=product.id, start_issue=ABSENT, length=ABSENT)
    assert (member["type"], member["interval_months"]) == ("membership", 12)
    assert member["product"]["name"] == "A year"
    refused = await acme.post("/v1/orders/", manual(acme, product=product.id, type="subscription"))
    assert (refused.status_code, refused.json()["code"]) == (400, "validation_error")
    assert "membership" in refused.json()["message"]
    await set_product_active(acme.db, acme.account_id, product.id, is_active=False, by=BY)
    refused = await acme.post("/v1/orders/", manual(acme, **MEMBER, product=product.id))
    assert refused.status_code == 400
    assert product.id in refused.json()["message"]


async def test_a_known_subscriber_is_named_by_id_or_email(acme: Cast) -> None:
    await make_issue(acme)
    first = await make_subscription(acme, email="ada@a.test")
    [by_id] = await order(acme, subscriber_id=first["subscriber"]["id"])
    [by_email] = await order(acme, email="ADA@a.test")
    assert by_id["subscriber"] == by_email["subscriber"] == first["subscriber"]


@pytest.mark.parametrize(
    "fields, word",
    [
        (MEMBER, "interval_months"),
        ({"length": ABSENT}, "`length` is missing; all orders need it, except memberships."),
        ({"start_issue": ABSENT}, "start_issue"),
        ({"start_issue": 9}, "start_issue"),
        ({"first_name": ABSENT}, "company"),
        ({"is_gift": True, "gifter_id": "NOSUCH"}, "gifter_id"),
        ({"is_gift": True}, "gifter_email"),
        ({"is_gift": True, "gifter_email": "g@g.test"}, "gifter_first_name"),
        ({"gifter_email": "g@g.test"}, "is_gift"),
        ({**GIVER, "email": "grace@give.test"}, "their own gift"),
        ({"subscriber_id": "NOSUCH"}, "subscriber_id"),
        ({"product": "NOSUCH"}, "product"),
        ({"source": "NOSUCH"}, "source"),
        ({"price": "1", "is_comp": True}, "price"),
        ({"copies": 101}, "copies"),
    ],
    ids=str,
)
async def test_a_refused_order_writes_nothing(
    acme: Cast, fields: dict[str, Any], word: str
) -> None:
    await make_issue(acme)
    refused = await acme.post("/v1/orders/", manual(acme, **fields))
    assert refused.status_code == 400
    assert word in refused.json()["message"]
    for path in ("/v1/subscriptions/", "/v1/subscribers/"):
        assert await walk(acme, path) == []


async def test_of_many_orders_each_has_a_result(acme: Cast) -> None:
    await make_issue(acme)
    bodies = [
        manual(acme, order_id="M-1", email="ada@a.test", send_welcome_email=True),
        manual(acme, order_id="M-1"),
        manual(acme, order_id="M-2", source="NOSUCH"),
        manual(acme, order_id="M-3", copies=2),
        manual(acme, order_id="M-4", email="ada@a.test"),
        manual(acme, order_id="M-5", due_days=5),
        manual(acme, order_id="M-6", is_gift=True),
    ]
    answer = made(await acme.post("/v1/orders/bulk/", {"orders": bodies}))
    codes = [each["error"] and each["error"]["code"] for each in answer["items"]]
    assert codes[:5] == [None, "duplicate_order_id", "invalid_source", "validation_error", None]
    assert [each["error"]["field"] for each in answer["items"][5:]] == ["due_days", "gifter_email"]
    assert [each["order_id"] for each in answer["items"]] == [each["order_id"] for each in bodies]
    placed = [each["subscription"] for each in answer["items"] if each["subscription"]]
    assert sorted(placed) == sorted(each["id"] for each in await walk(acme, "/v1/subscriptions/"))
    assert len(await walk(acme, "/v1/subscribers/")) == 1
    assert await emails_of(acme) == ["ada@a.test"]


async def test_at_most_500_orders_fit_into_a_request(acme: Cast) -> None:
    await make_issue(acme)
    most = [manual(acme) for _ in range(500)]
    answer = made(await acme.post("/v1/orders/bulk/", {"orders": most}))
    assert all(each["subscription"] for each in answer["items"])
    refused = await acme.post("/v1/orders/bulk/", {"orders": [*most, manual(acme)]})
    assert refused.status_code == 400
    assert (await acme.post("/v1/orders/bulk/", {"orders": []})).status_code == 400


async def test_products_are_listed_with_their_prices(acme: Cast) -> None:
    [imported] = await walk(acme, "/v1/products/")
    one = made(await acme.get(f"/v1/products/{imported['id']}/"))
    assert one == imported
    assert (one["type"], one["is_active"], one["prices"]) == ("subscription", True, [])
    assert (one["prices_from"], one["next_prices"], one["next_prices_from"]) == (None, [], None)
    assert (await acme.get("/v1/products/NOSUCH/")).status_code == 404


async def test_a_product_shows_the_prices_of_today_and_the_next_ones(acme: Cast) -> None:
    place = Medium.PRINT, CountryGroup.HOME
    day = now().date() + timedelta(days=30)
    year = await products.create_product(
        acme.db, acme.account_id, name="Year", offer=Offer(prices={place: 4800}), by=BY
    )
    for prices_from, price in ((day, 5200), (day + timedelta(days=30), 5600)):
        await products.update_product(
            acme.db,
            acme.account_id,
            year.id,
            name="Year",
            benefits=[],
            offer=Offer(prices={place: price}),
            prices_from=prices_from,
            by=BY,
        )
    shown = made(await acme.get(f"/v1/products/{year.id}/"))
    assert [each["price"] for each in shown["prices"]] == ["48.00"]
    assert [each["price"] for each in shown["next_prices"]] == ["52.00"]
    assert (shown["prices_from"], shown["next_prices_from"]) == (None, day.isoformat())
    assert shown in await walk(acme, "/v1/products/")


async def test_a_copy_is_the_one_of_the_list(acme: Cast) -> None:
    await make_issue(acme)
    [copy] = await copies_of(acme, (await make_subscription(acme))["id"])
    assert (await acme.get(f"/v1/copies/{copy['id']}/")).json() == copy
    assert (await acme.get("/v1/copies/99999999999/")).status_code == 404
    assert (await acme.get("/v1/copies/x/")).status_code == 400


async def test_copies_of_issues_that_are_out_are_to_send_until_a_program_marks_them(
    acme: Cast,
) -> None:
    for number, day in ((1, "2020-01-01"), (2, "2020-02-01"), (3, "2099-01-01")):
        await make_issue(acme, number, release_date_actual=day)
    [made] = await order(acme, length=2)
    unsent = await walk(acme, "/v1/copies/", subscription=made["id"], status="Not sent")
    assert len(unsent) == 2
    refused = await acme.post("/v1/orders/", manual(acme, sent_through=1))
    assert refused.status_code == 400  # a field of the order form
    ids = [each["id"] for each in unsent]
    marked = (await acme.post("/v1/copies/mark-sent/", {"ids": ids, "date": None})).json()
    assert {(each["status"], each["date_sent"]) for each in marked["items"]} == {("Sent", None)}
    done = (await acme.get(f"/v1/subscriptions/{made['id']}/")).json()
    assert done["status"] == "Complete"
