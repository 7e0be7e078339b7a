"""The rules for whom orders belong to: subscribers by id, givers of gifts, and bundles."""

from typing import Any

import pytest

from masthead.model.errors import Invalid
from masthead.model.orders.decide import decide
from masthead.model.orders.order import Giver
from masthead.model.types.enums import PaymentMethod
from tests.model.orders.test_decide import context_of, existing, is_empty, order_of, renewal_of


def test_an_order_belongs_to_the_subscriber_that_it_names() -> None:
    context = context_of(known_subscribers={"grace": "grace", "old": "kept"})
    orders = [
        order_of("A1", subscriber_id="grace", email="another@example.test"),
        order_of("A2", subscriber_id="old", email=None),
    ]
    plan = decide(context, orders)
    assert plan.subscribers == []
    assert [row["subscriber_id"] for row in plan.subscriptions] == ["grace", "kept"]
    assert sorted(plan.existing_subscribers) == ["grace", "kept"]


@pytest.mark.parametrize(
    "more, field",
    [
        ({"subscriber_id": "nobody"}, "subscriber_id"),
        ({"is_gift": True, "giver": Giver(subscriber_id="nobody")}, "gifter_id"),
    ],
)
def test_an_unknown_subscriber_or_giver_refuses_the_order(more: dict[str, Any], field: str) -> None:
    plan = decide(context_of(), [order_of(**more)])
    [refusal] = plan.outcomes
    assert isinstance(refusal, Invalid)
    assert refusal.field == field
    assert is_empty(plan)


def test_the_giver_of_a_gift_gets_a_record_of_their_own() -> None:
    giver = Giver(email="Bob@example.test", first_name="Bob", last_name="Miller")
    gift = {"is_gift": True, "gifter_name": "Bob Miller", "gifter_email": "Bob@example.test"}
    orders = [order_of("A1", **gift, giver=giver), order_of("A2", **gift, giver=giver)]
    plan = decide(context_of(), orders)
    ada, bob = plan.subscribers
    assert (ada["n"], bob["n"]) == (101, 102)
    assert (bob["first_name"], bob["email_key"]) == ("Bob", "bob@example.test")
    totals = ("subscription_count", "has_active_subscription", "latest_country", "ltv")
    assert [bob[name] for name in totals] == [0, False, None, 0]
    assert [row["gifter_id"] for row in plan.subscriptions] == [bob["id"]] * 2
    assert [row.subscriber_id for row in plan.search_rows] == [ada["id"], None, bob["id"]]


def test_a_giver_can_be_a_known_subscriber_by_email_or_id() -> None:
    context = context_of(known_subscribers={"grace": "grace"})
    for giver in (Giver(email="grace@example.test"), Giver(subscriber_id="grace")):
        plan = decide(context, [order_of(is_gift=True, giver=giver)])
        assert [row["gifter_id"] for row in plan.subscriptions] == ["grace"]
        assert len(plan.subscribers) == 1


def test_the_orders_of_a_bundle_have_one_subscriber_and_one_bundle_id() -> None:
    orders = [
        order_of(order_id, email=None, company="Acme", bundle="A")
        for order_id in ("A", "A-2", "A-3")
    ]
    plan = decide(context_of(), orders)
    [subscriber] = plan.subscribers
    assert subscriber["subscription_count"] == 3
    assert {row["subscriber_id"] for row in plan.subscriptions} == {subscriber["id"]}
    assert {row["bundle_id"] for row in plan.subscriptions} == {plan.subscriptions[0]["id"]}


def test_other_orders_have_neither_a_giver_nor_a_bundle() -> None:
    [row] = decide(context_of(), [order_of()]).subscriptions
    assert (row["gifter_id"], row["bundle_id"]) == (None, None)


def test_a_period_has_the_source_the_product_and_the_payment_method_of_its_order() -> None:
    [period] = decide(context_of(), [order_of(payment_method=PaymentMethod.CHEQUE)]).periods
    names = ("source_id", "product_id", "payment_method")
    assert [period.columns[name] for name in names] == ["shop", "print", "cheque"]
    [period] = decide(context_of(existing()), [renewal_of("old-S")]).periods
    assert [period.columns[name] for name in names] == ["shop", "digital", None]
