"""The document refuses the bodies that the service refuses for several fields together."""

import re
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from masthead.api.routes import ROUTES
from masthead.model.types.clean_text import UNSEEN, VISIBLE, one_line
from tests.conftest import Cast
from tests.support.factories import fresh_order_id, make_issue, make_subscription
from tests.support.openapi import described

Body = dict[str, Any]
GIFT: Body = {"is_gift": True, "gifter_email": "grace@example.test", "gifter_first_name": "Grace"}
MEMBER: Body = {"type": "membership", "start_issue": None, "length": None}
NEW = "POST /v1/subscriptions/", "POST /v1/orders/"
RENEWAL = "POST /v1/subscriptions/{id}/renewals/"
PAID = NEW[0], RENEWAL
REFUND = "POST /v1/subscriptions/{id}/refunds/"
PATCH = "PATCH /v1/subscriptions/{id}/"
MOVE, CLAIM, REPORT = "POST /v1/address-changes/", "POST /v1/claims/", "POST /v1/delivery-reports/"
# By operation: what a body may be, and what it may not be
ORDERS: list[tuple[str, Body, bool]] = [
    *((each, {}, True) for each in NEW),
    *((each, {"first_name": None}, False) for each in NEW),
    *((each, {"first_name": "\u200b\x07"}, False) for each in NEW),
    *((each, {"first_name": None, "company": "Acme"}, True) for each in NEW),
    *((each, {"is_comp": True}, False) for each in NEW),
    *((each, {"is_comp": True, "price": "0.00"}, True) for each in NEW),
    *((each, {"currency": "JPY", "price": "42.5"}, False) for each in PAID),
    *((each, {"currency": "JPY", "discount_amount": "1.5"}, False) for each in PAID),
    *((each, {"currency": "EUR", "price": "42.125"}, False) for each in PAID),
    *((each, {"currency": "KWD", "price": "42.125"}, True) for each in PAID),
    *((each, {"currency": "CLF", "price": "42.1255"}, True) for each in PAID),
]
KINDS: list[tuple[str, Body, bool]] = [
    (NEW[1], changes, is_right)
    for changes, is_right in (
        ({"start_issue": None}, False),
        ({"length": ...}, False),
        ({"type": "subscription", "length": None}, False),
        ({"type": "membership"}, False),
        ({**MEMBER, "interval_months": 12}, True),
        (GIFT, True),
        ({**GIFT, "gifter_email": None}, False),
        ({**GIFT, "gifter_first_name": " "}, False),
        ({**GIFT, "gifter_first_name": ..., "gifter_company": "Acme"}, True),
        ({**GIFT, "gifter_first_name": "G" * 255, "gifter_last_name": "H" * 255}, True),
        ({"gifter_email": "grace@example.test"}, False),
        ({"is_gift": False, "gifter_last_name": "Bell"}, False),
        ({"is_gift": True, "gifter_id": "NOSUCH"}, True),
        ({"product": "NOSUCH", "start_issue": None}, True),
    )
]
OTHERS: list[tuple[str, Body, bool]] = [
    (PATCH, {"first_name": "", "company": "\x07"}, False),
    (PATCH, {"first_name": "", "company": "Acme"}, True),
    (MOVE, {}, True),
    (MOVE, {"address1": "\u200b"}, False),
    (MOVE, {"city": None}, False),
    (MOVE, {"city": None, "postcode": "10115"}, True),
    (MOVE, {"last_name": "Bell"}, False),
    (MOVE, {"last_name": "Bell", "company": "Acme"}, True),
    (MOVE, {"last_issue": 9}, False),
    (MOVE, {"first_issue": 8, "last_issue": 9}, True),
    (CLAIM, {"copy": 1}, True),
    (CLAIM, {"key": "K7M2Q4D9Y"}, True),
    (CLAIM, {"key": "\u200b"}, False),
    (CLAIM, {"copy": 1, "key": "K7M2Q4D9Y"}, False),
    (REPORT, {"reports": [{"kind": "shipped"}]}, False),
    (REPORT, {"reports": [{"kind": "shipped", "copy": 1, "key": "K7M2Q4D9Y"}]}, True),
    (REPORT, {"reports": [{"kind": "moved", "copy": 1, "address1": "Am Markt 3"}]}, False),
    (REPORT, {"reports": [{"kind": "moved", "copy": 1, "city": "Ulm"}]}, False),
    (REPORT, {"reports": [{"kind": "moved", "copy": 1, "address1": "A", "postcode": "1"}]}, True),
    (REFUND, {"amount": "00.00"}, False),
    (REFUND, {"amount": "0.01"}, True),
]


def body_of(operation: str, shop: str, id: str) -> Body:
    """A body that is right, or one to which something must be added. id: of a subscription."""
    order = {"source": shop, "order_id": fresh_order_id(), "order_date": "2026-01-15"}
    order["price"] = "42"
    first = {"start_issue": 1, "length": 4, "first_name": "Ada", "country": "DE"}
    address = {"subscriptions": [id], "address1": "Am Markt 3", "city": "Ulm"}
    bodies: dict[str, Body] = {
        **dict.fromkeys(NEW, order | first),
        RENEWAL: order,
        MOVE: address | {"country": "DE"},
        CLAIM: {"reason": "other"},
        REFUND: {"order_id": "NOSUCH"},
    }
    return bodies.get(operation, {})


def validators() -> dict[str, Draft202012Validator]:
    """What checks a body by the document, by operation."""
    components = described()["components"]
    return {
        str(route): Draft202012Validator(
            {"$ref": f"#/components/schemas/{route.body.__name__}", "components": components}
        )
        for route in ROUTES
        if route.body is not None
    }


async def test_the_document_refuses_the_fields_that_the_service_refuses(acme: Cast) -> None:
    await make_issue(acme)
    id, schemas = (await make_subscription(acme))["id"], validators()
    for operation, changes, is_right in (*ORDERS, *KINDS, *OTHERS):
        body = body_of(operation, acme.shop, id) | changes
        body = {name: value for name, value in body.items() if value is not ...}
        method, path = operation.split()
        send = acme.patch if method == "PATCH" else acme.post
        response = await send(path.replace("{id}", id), body)
        is_refused = response.status_code == 400 and response.json()["code"] == "validation_error"
        assert is_refused is not is_right, (operation, changes, response.text)
        assert schemas[operation].is_valid(body) is is_right, (operation, changes)


def test_the_pattern_of_visible_texts_is_the_rule_for_texts() -> None:
    visible, unseen = re.compile(VISIBLE), re.compile(f"[{UNSEEN}]+")
    for number in (*range(0xD800), *range(0xE000, 0x10000)):
        text = chr(number)
        assert bool(visible.search(text)) is bool(one_line(text)), ascii(text)
        assert bool(unseen.fullmatch(text)) is not bool(one_line(text)), ascii(text)


@pytest.mark.parametrize("text", ["\u200ba@b", "a@b\x07", "a@\u2060"])
def test_no_email_filter_has_a_character_that_cannot_be_seen(text: str) -> None:
    parameters = described()["paths"]["/v1/subscribers/"]["get"]["parameters"]
    [schema] = [each["schema"] for each in parameters if each["name"] == "email"]
    assert not Draft202012Validator(schema).is_valid(text)
    assert Draft202012Validator(schema).is_valid("a@b")
