"""Whether an order is known, and what rows say about their subscribers, as digests."""

from datetime import date
from typing import Any

from masthead.model.imports.known_orders import (
    KnownOrder,
    differences,
    email_said_digests,
    said_digest,
)
from masthead.model.orders.order import Order


def order_of(**fields: Any) -> Order:
    """An order with some fields."""
    return Order(order_id="A", order_date=date(2026, 1, 15), price=0, currency="EUR", **fields)


def said(**fields: Any) -> str | None:
    """The digest of what an order says about its subscriber."""
    return said_digest(order_of(**fields))


ADA: dict[str, Any] = {
    "first_name": "Ada",
    "last_name": "Byron",
    "address1": "1 Square",
    "postcode": "1 A",
}


def test_the_email_counts_and_otherwise_the_name_and_the_address() -> None:
    ada = said(**ADA, country="DE")
    other = {"first_name": "ADA", "last_name": "byron", "address1": "1 square", "postcode": "1a"}
    assert ada == said(**other, country="DE")
    assert ada != said(**other, country="FR")
    assert ada != said(**other, country="DE", email="ada@example.test")
    same = said(email="ada@example.test", first_name="Ada"), said(email="Ada@Example.test")
    assert {*same} == {*email_said_digests("ada@example.test")}


def test_a_renewal_says_nothing() -> None:
    assert said(**ADA, country="DE", email="ada@example.test", renews="B") is None


def test_a_chosen_subscriber_is_compared_instead_of_the_name() -> None:
    made = KnownOrder(
        order_id="A",
        subscription_id="S",
        subscriber_id="R",
        source_id="SHOP",
        source_name="Shop",
        price=0,
        currency="EUR",
        **ADA,
        company=None,
        country="DE",
        email=None,
    )
    for chosen, expected in ("R", []), ("Q", ["the subscriber"]):
        order = order_of(**ADA, country="DE", subscriber_id=chosen)
        assert differences(order, made, source_id="SHOP", owner_id=None) == expected
