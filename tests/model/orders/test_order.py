"""Rules about several fields of an order, which are the same for the API and the form."""

from typing import Any

import pytest

from masthead.model.errors import Invalid
from masthead.model.inputs import SubscriptionCreate
from masthead.model.orders.order import OrderDefaults, list_order_refusals, order_of
from masthead.model.validation import decode_each, decode_input
from tests.support.cases import for_each

TERMS = OrderDefaults("EUR", "placeholder.example")
GOOD = {
    "source": "shop",
    "start_issue": 1,
    "length": 4,
    "first_name": "Ada",
    "country": "DE",
    "order_id": "A1",
    "order_date": "2026-01-15",
    "price": "42.00",
}


def refusals_of(body: dict[str, Any]) -> list[str]:
    """The invalid fields, alone and in combination, as a form shows them."""
    given, refusals = decode_each(SubscriptionCreate, body)
    refused = {refusal.field for refusal in refusals}
    together = list_order_refusals(given, TERMS, refused=refused)
    return [refusal.field for refusal in [*refusals, *together]]


@for_each(
    "change, fields",
    [
        ({}, []),
        ({"first_name": ""}, ["company"]),
        ({"first_name": "", "company": "Acme"}, []),
        ({"first_name": "x" * 256}, ["first_name"]),
        ({"email": "ada@PLACEHOLDER.example"}, ["email"]),
        ({"email": "ada"}, ["email"]),
        ({"price": "42.001"}, ["price"]),
        ({"price": "42,00"}, ["price"]),
        ({"price": "42", "currency": "JPY"}, []),
        ({"discount_amount": "0.001"}, ["discount_amount"]),
        ({"is_comp": True}, ["price"]),
        ({"is_comp": True, "price": "0.00"}, []),
        ({"is_comp": True, "price": "0.001"}, ["price"]),
        (
            {"first_name": "", "email": "a@placeholder.example", "is_comp": True},
            ["company", "email", "price"],
        ),
    ],
)
def test_a_form_gets_all_refusals_at_once_and_the_api_gets_the_first(
    change: dict[str, Any], fields: list[str]
) -> None:
    body = {**GOOD, **change}
    assert refusals_of(body) == fields
    if not fields:
        assert order_of(decode_input(SubscriptionCreate, body), TERMS).order_id == "A1"
        return
    with pytest.raises(Invalid) as refusal:
        order_of(decode_input(SubscriptionCreate, body), TERMS)
    assert refusal.value.field == fields[0]


def test_a_row_cannot_have_refunded_more_than_its_price() -> None:
    given = {"price": "42.00", "refunded": "42.01", "company": "Acme"}
    (refusal,) = list_order_refusals(given, TERMS, refused=[])
    assert (refusal.field, refusal.value) == ("refunded", "42.01")
