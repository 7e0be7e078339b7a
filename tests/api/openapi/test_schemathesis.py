"""Schemathesis sends requests that the OpenAPI document allows, and some that it forbids.

All its checks are on. Three are skipped in some cases, which no JSON Schema can describe:
see `excused`. `make campaign` also sends the limits of each field, and one beyond.
"""

import contextlib
import copy
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import hypothesis
import pytest
import requests
import schemathesis
from jsonschema_rs import Draft202012Validator
from schemathesis.checks import CheckFunction
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    positive_data_acceptance,
)

from masthead.api.idempotency.header import HEADER
from masthead.api.openapi.conditions import COMP_IS_FREE
from masthead.api.openapi.document import document
from masthead.api.routes import ROUTES
from masthead.model.types.clean_text import one_line
from masthead.model.types.damaged_texts import is_checked, repair_texts
from masthead.model.types.money import CURRENCIES
from masthead.model.types.postal_fields import ADDRESS_FIELDS
from masthead.settings import Settings
from tests.conftest import Cast, make_account, serving
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import (
    copies_of,
    fresh_order_id,
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issues,
    make_membership,
    make_subscription,
    plan_address,
)
from tests.support.keyed_requests import new_key
from tests.support.serving import Server, serve
from tests.support.webhooks import make_webhook

Case = schemathesis.Case[Any]

DOCUMENT = document()


def generated() -> dict[str, Any]:
    """The document without one condition of orders: with it, there are too many cases to generate.

    `settle_order` keeps it, `test_conditions` checks it, and subscriptions are generated with it.
    """
    whole = copy.deepcopy(DOCUMENT)
    whole["components"]["schemas"]["OrderCreate"]["allOf"].remove(COMP_IS_FREE)
    return whole


SCHEMA = schemathesis.openapi.from_dict(generated())
# NUL is refused everywhere; without this, the schema of each text would repeat it.
SCHEMA.config.generation.allow_x00 = False
# Some thousand requests, which are made while pytest collects
SCHEMA.config.phases.coverage.enabled = hypothesis.settings.get_current_profile_name() == "long"

# Responses to a request that is valid, but does not fit the data
STATE = {
    "invalid_source",
    "unknown_start_issue",
    "duplicate_order_id",
    "duplicate_issue_number",
    "not_recurring",
    "cancelled",
    "email_taken",
    "claim_exists",
    "claim_held",
    "claim_sent",
    "not_open",
    "no_new_address",
    "nothing_to_send",
    "already_marked",
    "already_discarded",
    "already_shipped",
    "not_marked",
    "undo_expired",
    "already_sent",
    "copy_in_run",
    "copy_in_use",
    "issue_skipped",
    "not_cancelled",
    "refund_too_high",
    "address_change_overlaps",
    "issues_are_over",
    "same_address",
    "already_cancelled",
    "already_done",
    "temporary_address_planned",
    "copy_not_sent",
    "copy_cancelled",
    "copy_digital",
    "no_address",
    "same_subscriber",
    "address_planned",
    "is_on_invoice",
    "costs_more",
    "less_than_refunded",
    "nothing_to_bill",
    "missing_rate",
    "missing_exchange_rate",
    "missing_vat_id",
    "credited",
    "more_than_left",
    "changed_meanwhile",
}
WEBHOOK_URL = "https://127.0.0.1:9/"  # where nothing listens
DELETE_WEBHOOK = "POST /v1/webhooks/{id}/delete/"

BODIES = {str(route): route.body.__name__ for route in ROUTES if route.body is not None}
BLANK_IS_ABSENT = {
    str(route): route.body.blank_is_absent for route in ROUTES if route.body is not None
}


@dataclass
class World:
    """A running server, an account in it, and ids that exist there, by the noun in the path.

    leftover: id of the webhook that a request is to delete.
    """

    server: Server
    session: requests.Session
    cast: Cast
    ids: dict[str, str | int]
    leftover: str = ""
    issue_numbers: set[int] = field(default_factory=lambda: {1, 2, 3})

    def fresh_number(self, number: int) -> int:
        """The number itself if no issue has it, else one that is free."""
        numbers = itertools.chain([number], itertools.count(1))
        fresh = next(each for each in numbers if each not in self.issue_numbers)
        self.issue_numbers.add(fresh)
        return fresh

    def write(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """Send a request that is right; returns the response."""
        headers = {"Authorization": f"Bearer {self.cast.key}"}
        response = self.session.post(self.server.url + path, json=body, headers=headers)
        assert response.ok, response.text
        made: dict[str, Any] = response.json()
        return made


@pytest.fixture(scope="module")
def own_url(migrated_database: Callable[[], str]) -> str:
    """A database of this module's own."""
    return migrated_database()


@pytest.fixture(scope="module")
async def world(own_url: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[World]:
    """The server that gets the requests of this module."""
    async with serving(Settings(database_url=own_url)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        issues = await make_issues(cast, 1, 3)
        subscription = await make_subscription(cast, is_recurring=True, email="ada@example.test")
        claim = await make_claim(cast, await make_subscription(cast, start_issue=2))
        await make_membership(cast, is_recurring="true")
        copies = await copies_of(cast, subscription["id"])
        run = await make_dispatch(cast, issues[1]["id"])
        line = (await cast.get(f"/v1/dispatches/{run['id']}/lines/")).json()["items"][0]
        report = await make_delivery_report(cast, subscription["id"])
        webhooks = [await make_webhook(cast, WEBHOOK_URL) for _ in range(2)]
        event = (await cast.get("/v1/events/")).json()["items"][0]
        change = await plan_address(cast, subscription["id"], 50)
        await turn_on_billing(cast, has_issue=True)
        invoice = await bill_one(cast, price="90000.00")
        payment = await cast.post("/v1/payments/", {"amount": "10", "payer": invoice.payer_id})
    log = tmp_path_factory.mktemp("schemathesis") / "log"
    environment = {"MASTHEAD_WEBHOOK_ALLOW_PRIVATE": "true"}
    with serve(own_url, log, environment=environment) as server, requests.Session() as session:
        yield World(
            server,
            session,
            cast,
            {
                "issues": issues[0]["id"],
                "subscribers": subscription["subscriber"]["id"],
                "subscriptions": subscription["id"],
                "copies": copies[0]["id"],
                "claims": claim["id"],
                "delivery-reports": report["id"],
                "claimed": claim["copy_id"],
                "dispatches": run["id"],
                "key": line["key"],
                "webhooks": webhooks[0].id,
                "changed": webhooks[1].id,  # the one that requests disable
                "event": event["id"],
                "products": subscription["product"]["id"],
                "address-changes": change["id"],
                "orders": subscription["periods"][0]["order_id"],
                "invoices": invoice.id,
                "number": invoice.document.number,
                "payments": payment.json()["id"],
            },
        )


@pytest.mark.fuzz
@SCHEMA.parametrize()
@hypothesis.settings(
    max_examples=max(1, hypothesis.settings().max_examples // 10),
    deadline=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
def test_the_service_conforms_to_its_openapi_document(case: Case, world: World) -> None:
    settle(case, world)
    options: dict[str, Any] = {"session": world.session}
    if is_right(case, ParameterLocation.HEADER):
        options["headers"] = {"Authorization": f"Bearer {world.cast.key}"}
    response = case.call(base_url=world.server.url, **options)
    case.validate_response(
        response, excluded_checks=list(excused(case, response)), transport_kwargs=options
    )
    if case.operation.label == "POST /v1/webhooks/" and response.status_code == 201:
        world.write(f"/v1/webhooks/{response.json()['id']}/delete/", {})  # an account has few
    if world.leftover and case.operation.label == DELETE_WEBHOOK and response.status_code >= 300:
        world.write(f"/v1/webhooks/{world.leftover}/delete/", {})
    assert not is_taken(case, response) or is_forgiven(case, response), response.text


def is_right(case: Case, *places: ParameterLocation) -> bool:
    """Whether the case keeps to the schema, at least in these places."""
    assert case.meta is not None
    if not places:
        return case.meta.generation.mode.is_positive
    return not any(case.meta.is_negative_at(place) for place in places)


def settle(case: Case, world: World) -> None:
    """Replace generated references with existing records, which the schema cannot describe."""
    world.leftover = ""
    if is_right(case, ParameterLocation.PATH):
        noun = case.operation.path.split("/")[2]
        for name in case.path_parameters:
            case.path_parameters[name] = world.ids[noun]
        match case.operation.label:
            case "PATCH /v1/webhooks/{id}/":
                case.path_parameters["id"] = world.ids["changed"]
            case "POST /v1/webhooks/{id}/delete/":
                world.leftover = world.write("/v1/webhooks/", {"url": WEBHOOK_URL})["id"]
                case.path_parameters["id"] = world.leftover
    if is_right(case, ParameterLocation.QUERY):
        case.query.pop("cursor", None)  # which only a response contains
        if case.operation.path.endswith("/why/") and "subscriber" in case.query:
            case.query["subscriber"] = world.ids["subscribers"]
    if is_right(case, ParameterLocation.HEADER) and HEADER in (case.headers or {}):
        case.headers[HEADER] = new_key()  # each request is a new one
    if is_right(case, ParameterLocation.HEADER) and "If-Match" in (case.headers or {}):
        case.headers["If-Match"] = "*"  # only a response contains a tag
    if isinstance(case.body, dict):
        settle_body(case, case.body, world)


def settle_body(case: Case, body: dict[str, Any], world: World) -> None:
    """The same for a body. A body that violates the schema still violates it afterwards."""
    is_kept = is_right(case, ParameterLocation.BODY)
    for record in (body, *body.get("reports", ()), *body.get("orders", ())) if is_kept else ():
        for name in ("date", "order_date"):
            if record.get(name):  # a date far in the future is refused
                record[name] = min(record[name], "2026-01-15")
        if record.get("currency") is None:
            cut_amounts(record, world.cast.currency)
        repaired, lost = repair_texts(record, postal_names_in(record))
        record |= dict.fromkeys([*repaired, *(str(each.field) for each in lost)], "Ada")
    match case.operation.label:
        case "POST /v1/subscriptions/" if is_kept:
            body |= {"source": world.cast.shop, "order_id": fresh_order_id()}
            body["start_issue"] = body["start_issue"] % 3 + 1
        case "POST /v1/subscriptions/{id}/renewals/" if is_kept:
            body |= {"source": world.cast.shop, "order_id": fresh_order_id()}
            body.pop("interval_months", None)  # only for memberships; this one is for issues
            body.pop("period_start", None)
            settle_billing(body, world)
        case "POST /v1/orders/" if is_kept:
            settle_order(body, world)
        case "POST /v1/orders/bulk/" if is_kept:
            for order in body["orders"]:
                settle_order(order, world)
        case "POST /v1/subscriptions/{id}/terms/" if is_kept and "start_issue" in body:
            body["start_issue"] = body["start_issue"] % 3 + 1
        case "POST /v1/subscriptions/{id}/move/" if is_kept:
            body["subscriber"] = world.ids["subscribers"]
        case "POST /v1/subscriptions/{id}/price/" if is_kept:
            body |= {"order_id": world.ids["orders"], "price": "42.00"}  # with its decimals
        case "POST /v1/subscriptions/{id}/refunds/" if is_kept:
            body |= {"order_id": world.ids["orders"], "amount": "0.01"}  # more than nothing
            body.pop("refund_date", None)  # from the day of the order until today
        case "POST /v1/invoices/{id}/credit/" if is_kept and body.get("amount"):
            body["amount"] = "0.01"  # as many decimals as the currency has
        case "POST /v1/payments/" if is_kept:
            settle_payment(body, world)
        case "POST /v1/address-changes/" if is_kept:
            body["subscriptions"] = [world.ids["subscriptions"]]
            for name in ("first_day", "last_day"):  # days or issues, not both
                body.pop(name, None)
            if body.get("last_issue") is not None:  # it must not be before the first
                body["last_issue"] = max(body["first_issue"], body["last_issue"])
        case "POST /v1/claims/" if is_kept:
            settle_copy(body, world, "claimed")
        case "POST /v1/delivery-reports/" if is_kept:
            for report in body["reports"]:
                settle_copy(report, world, "copies")
        case "POST /v1/webhooks/" | "PATCH /v1/webhooks/{id}/" if is_kept and "url" in body:
            body["url"] = WEBHOOK_URL
        case "POST /v1/webhooks/{id}/resend/" if is_kept:
            body["first"] = world.ids["event"]
            body.pop("last", None)  # it must not be before the first
        case "POST /v1/issues/" if is_kept:
            body["number"] = world.fresh_number(int(body["number"]))
        case "POST /v1/dispatches/" if is_kept:
            body["issue"] = world.ids["issues"]
            if body.get("sources"):
                body["sources"] = [world.cast.shop]
        case "PATCH /v1/subscribers/{id}/" if is_kept:
            body["company"] = "Acme"  # a name must remain, sent or stored
            if any(name in body for name in ADDRESS_FIELDS):  # what it needs may be stored, too
                body |= {"address1": "1 Mill Lane", "city": "Ulm", "country": "DE"}
        case "PATCH /v1/subscriptions/{id}/" if is_kept:
            for name in ("first_name", "company"):
                if name in body:
                    body[name] = "Ada"


def settle_order(order: dict[str, Any], world: World) -> None:
    """The same for an order."""
    order |= {"source": world.cast.shop, "order_id": fresh_order_id()}
    order.pop("subscriber_id", None)
    if order.pop("product", None):
        order |= {"start_issue": 1, "length": 4, "interval_months": 12}  # as a product may say
    if order.get("is_comp"):
        order["price"] = "0"
    if order.get("gifter_id"):
        order["gifter_id"] = world.ids["subscribers"]
    if order.get("gifter_email"):  # nobody is their own giver
        order["gifter_email"] = "grace@give.test"
    if order.get("start_issue"):
        order["start_issue"] = order["start_issue"] % 3 + 1
    if order.get("currency"):  # for orders, the document has no rule
        cut_amounts(order, order["currency"])
    settle_billing(order, world)


def settle_billing(order: dict[str, Any], world: World) -> None:
    """The same for how an order is billed: it is either billed or paid."""
    if order.get("is_billed"):
        left_out = ["transaction_id", "payment_method"]
    else:
        left_out = ["payer_id", "due_days", "order_reference"]
    left_out.append("is_debited")  # the payer needs a mandate
    for name in left_out:
        order.pop(name, None)
    if order.get("payer_id"):
        order["payer_id"] = world.ids["subscribers"]


def postal_names_in(record: dict[str, Any]) -> list[str]:
    """The fields of a record that are parts of a name or an address."""
    return [name for name in record if is_checked(name) and name != "name"]


def settle_payment(payment: dict[str, Any], world: World) -> None:
    """The same for a payment: of an invoice, or of a payer."""
    payment.pop("payment_date", None)  # until today
    payment |= {"currency": world.cast.currency, "amount": "0.01"}
    if payment.get("invoices"):
        payment["invoices"] = [{"number": world.ids["number"]}]
        payment.pop("payer", None)
    else:
        payment["payer"] = world.ids["subscribers"]


def settle_copy(record: dict[str, Any], world: World, name: str) -> None:
    """The same for a record that names a copy, by its id or by its key."""
    if record.get("copy") is None:
        record["key"] = world.ids["key"]
    else:
        record["copy"] = world.ids[name]


def cut_amounts(body: dict[str, Any], currency: str) -> None:
    """Leave the amounts only as many decimals as the currency has."""
    for name in ("price", "discount_amount"):
        if body.get(name) is not None:
            whole, _, decimals = body[name].partition(".")
            kept = decimals[: CURRENCIES[currency]]
            body[name] = f"{whole}.{kept}" if kept else whole


def excused(case: Case, response: Response) -> Iterator[CheckFunction]:
    """The checks that would wrongly fail for this response."""
    if response.status_code == 304:  # its headers would describe the response that a client has
        yield content_type_conformance
    if is_right(case):
        if response.status_code == 400 and response.json()["code"] in STATE:
            yield positive_data_acceptance
    elif response.status_code < 300 and is_forgiven(case, response):
        yield negative_data_rejection


def is_taken(case: Case, response: Response) -> bool:
    """Whether the service accepts a body that violates the schema, even if the data forbids it."""
    if is_right(case, ParameterLocation.BODY) or not is_right(case, ParameterLocation.PATH):
        return False
    return response.status_code < 300 or (
        response.status_code == 400 and response.json()["code"] in STATE
    )


def is_forgiven(case: Case, response: Response) -> bool:
    """Whether the service corrects what is wrong with a request, as decided.

    What cannot be seen is taken out of texts, and what programs leave out of names and addresses;
    blank texts in a POST count as left out, codes may be in lower case; a copy id that is too great
    for any copy is skipped like other unknown ones.
    """
    label: str = case.operation.label
    body: Any = case.body
    results = response.json().get("items", []) if label == "POST /v1/orders/bulk/" else []
    if any(each["error"] for each in results):  # what is wrong with an order is in its result
        return True
    if label == "POST /v1/copies/{copy_id}/mark-sent/":
        with contextlib.suppress(ValueError):
            return abs(int(str(case.path_parameters["copy_id"]))) >= 2**63
    if not is_right(case, ParameterLocation.QUERY) and is_tidied_query(case):
        return True
    if not isinstance(body, dict) or label not in BODIES:
        return False
    return validator_of(BODIES[label]).is_valid(
        tidied(body, blank_is_absent=BLANK_IS_ABSENT[label])
    )


def is_tidied_query(case: Case) -> bool:
    """Whether the query is valid without what cannot be seen in its texts, and only so."""
    given = dict(case.query or {})
    tidy = {
        name: one_line(value) if isinstance(value, str) else value for name, value in given.items()
    }
    return tidy != given and validator_of_query(case.operation.label).is_valid(tidy)


@cache
def validator_of_query(label: str) -> Draft202012Validator:
    """The validator of the parameters of an operation, by its method and path."""
    method, path = label.split()
    listed = DOCUMENT["paths"][path][method.lower()]["parameters"]
    known = {each["name"]: each["schema"] for each in listed if each["in"] == "query"}
    return Draft202012Validator(
        {
            "properties": known,
            "additionalProperties": False,
            "components": DOCUMENT["components"],
        }
    )


@cache
def validator_of(name: str) -> Draft202012Validator:
    """The validator of a body, by the name of its schema. To make all takes a second."""
    return Draft202012Validator(
        {"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]}
    )


def tidied(body: dict[str, Any], *, blank_is_absent: bool) -> dict[str, Any]:
    """A body, or a record in it, as the service reads it."""
    tidy = {
        name: one_line(value) if isinstance(value, str) else value for name, value in body.items()
    }
    tidy |= repair_texts(tidy, postal_names_in(tidy))[0]
    for name in ("country", "currency"):
        if isinstance(tidy.get(name), str):
            tidy[name] = tidy[name].upper()
    for name in ("countries", "media", "sources"):
        if isinstance(tidy.get(name), list):
            tidy[name] = [one_line(each) if isinstance(each, str) else each for each in tidy[name]]
    if isinstance(tidy.get("countries"), list):
        upper = [each.upper() if isinstance(each, str) else each for each in tidy["countries"]]
        tidy["countries"] = upper
    for name in ("orders", "reports", "invoices"):
        if isinstance(tidy.get(name), list):
            tidy[name] = [
                tidied(each, blank_is_absent=True) if isinstance(each, dict) else each
                for each in tidy[name]
            ]
    if blank_is_absent:
        tidy = {name: value for name, value in tidy.items() if value not in ("", None)}
    return tidy


def test_a_query_is_forgiven_only_for_what_cannot_be_seen() -> None:
    operation = SCHEMA["/v1/dispatches/"]["GET"]
    for issue, is_tidied in (("\x86X", True), ("X\u200b ", True), ("\x86?", False), ("?", False)):
        case = operation.Case(query={"issue": issue})
        assert is_tidied_query(case) is is_tidied, issue
