"""Texts that programs left in names and addresses are repaired or refused, in every request."""

from typing import Any

import httpx

from masthead.api.routes import ROUTES
from masthead.model.input_fields import fields_of, postal_names
from masthead.store.subscribers.corrections import get_subscriber
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import copies_of, fresh_order_id, make_issue, make_subscription

NEW, CHANGE = "POST /v1/subscriptions/", "PATCH /v1/subscriptions/{id}/"
ORDER, ORDERS, PERSON = "POST /v1/orders/", "POST /v1/orders/bulk/", "PATCH /v1/subscribers/{id}/"
MOVE, REPORTS = "POST /v1/address-changes/", "POST /v1/delivery-reports/"
PATHS = (NEW, CHANGE, ORDER, ORDERS, PERSON, MOVE, REPORTS)
FIRST: dict[str, object] = {"first_name": "Ada", "start_issue": 1, "length": 4, "country": "DE"}
FIRST |= {"price": "42", "order_date": "2026-01-15"}
PLACE = {"address1": "Weg 1", "city": "Ulm", "postcode": "89073", "country": "DE"}


async def sent(cast: Cast, operation: str, **texts: str) -> tuple[httpx.Response, dict[str, Any]]:
    """The response to a request with these texts, and what is stored then, by field."""
    if not (await cast.get("/v1/issues/")).json()["items"]:
        await make_issue(cast)
    made = await make_subscription(cast)
    order = {**FIRST, "source": cast.shop, "order_id": fresh_order_id(), **texts}
    [copy, *_] = await copies_of(cast, made["id"])
    bodies: dict[str, dict[str, Any]] = {
        NEW: order,
        CHANGE: texts,
        ORDER: order,
        ORDERS: {"orders": [order]},
        PERSON: PLACE | texts,
        MOVE: {"subscriptions": [made["id"]]} | PLACE | texts,
        REPORTS: {"reports": [{"copy": copy["id"], "kind": "moved"} | PLACE | texts]},
    }
    method, path = operation.split()
    id = made["subscriber"]["id"] if operation == PERSON else made["id"]
    send = cast.patch if method == "PATCH" else cast.post
    response = await send(path.replace("{id}", id), bodies[operation])
    if operation == PERSON:
        subscriber = await get_subscriber(cast.db, cast.account_id, id)
        return response, {**subscriber.shown}
    if operation == REPORTS and response.status_code == 200:
        report = response.json()["items"][0]["id"]
        answer: dict[str, Any] = (await cast.get(f"/v1/delivery-reports/{report}/")).json()
        return response, answer["new_address"]
    if operation in (NEW, ORDER, ORDERS):
        path = "/v1/subscriptions/"
        answer = (await cast.get(path, limit="1")).json()["items"][0]
    else:
        answer = (await cast.get(f"/v1/subscriptions/{id}/")).json()
    return response, {**answer, **answer["shipping_address"]}


def test_every_request_with_a_part_of_an_address_is_tested() -> None:
    found = {str(route) for route in ROUTES if route.body is not None and has_postal(route.body)}
    assert found == {*PATHS}


def has_postal(body: type[Any]) -> bool:
    """Whether a body or the records in its lists have a part of a name or an address."""
    fields = fields_of(body).values()
    inner = [each.element.kind for each in fields if each.holds_records and each.element]
    return bool(postal_names(body)) or any(map(has_postal, inner))


@for_each("operation", PATHS)
async def test_what_was_meant_is_stored(acme: Cast, operation: str) -> None:
    texts = {"address1": "St James&#039;s 1", "city": "MÃ¼nchen", "address2": "NULL"}
    texts |= {"state": "n/a"}
    _, answer = await sent(acme, operation, **texts)
    assert answer["address1"] == "St James's 1"
    assert answer["city"] == "München"
    assert answer["address2"] is None
    assert answer["state"] is None


@for_each("operation", PATHS)
@for_each("field, text", [("city", "#REF!"), ("address1", "2026-01-15"), ("postcode", "8\ufffd")])
async def test_lost_texts_are_refused(acme: Cast, operation: str, field: str, text: str) -> None:
    response, _ = await sent(acme, operation, **{field: text})
    message = refused(response, "validation_error")
    assert f"{field}` is `{text}`, " in message
    assert message.endswith(". Correct it, or leave it empty.")
    assert response.json()["errors"][0]["field"].endswith(field)


async def test_all_lost_texts_are_named_at_once(acme: Cast) -> None:
    response, _ = await sent(acme, NEW, city="#REF!", company="#NAME?", price="x")
    fields = [each["field"] for each in response.json()["errors"]]
    assert sorted(fields) == ["city", "company", "price"]


async def test_a_required_text_that_is_emptied_is_missing(acme: Cast) -> None:
    response, _ = await sent(acme, NEW, first_name="undefined")
    plain, _ = await sent(acme, NEW, first_name="")
    assert response.json() == plain.json()
    response, _ = await sent(acme, MOVE, address1="[object Object]")
    assert "`address1` is empty; it is required." in refused(response, "validation_error")
    response, _ = await sent(acme, CHANGE, first_name="#N/A", company="undefined")
    refused(response, "validation_error")


async def test_a_name_stays_unless_other_fields_have_the_same_text(acme: Cast) -> None:
    for name in ("Null", "NULL", "None", "nan"):
        _, answer = await sent(acme, CHANGE, last_name=name, company="Null")
        assert answer["last_name"] == name
        assert answer["company"] == "Null"
    _, answer = await sent(acme, CHANGE, last_name="null", address2="null")
    assert answer["last_name"] is None


async def test_a_town_none_is_in_italy(acme: Cast) -> None:
    for country, town in (("IT", "None"), ("it", "None"), ("DE", None)):
        _, answer = await sent(acme, NEW, city="None", country=country)
        assert answer["city"] == town
    _, answer = await sent(acme, CHANGE, city="None")  # its country is not sent
    assert answer["city"] == "None"


@for_each(
    "field, text",
    [
        *(("company", text) for text in ("AT&T;", "R&D <Labs>", "10.10.2010", "#MACHMIT!")),
        *(("address1", text) for text in ("1. Mai", "NA", "#12", "12/1-4")),
        *(("phone", text) for text in ("+49 30 123456", "01.42.34.56.78")),
        *(("notes", text) for text in ("Kel&#039;s", "NULL", "#REF!")),
    ],
)
async def test_other_texts_stay_as_they_are_sent(acme: Cast, field: str, text: str) -> None:
    _, answer = await sent(acme, CHANGE, **{field: text})
    assert answer[field] == text
