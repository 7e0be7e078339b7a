"""Errors of common mistakes say what to send in place of it, and where."""

import re
from typing import Any

from masthead.api.openapi.texts import read_errors
from masthead.api.routes import ROUTES
from masthead.model.advice import with_way_out
from tests.conftest import Cast
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import manual

ORDERS = "/v1/subscriptions/"
CANCEL = "`POST /v1/subscriptions/{id}/cancel/`"
TERMS = "`POST /v1/subscriptions/{id}/terms/`"
SUBSCRIBER = "`PATCH /v1/subscribers/{id}/`"

# The request, and words of the message of one of its errors
ADVICE: list[tuple[str, str, Any, str]] = [
    # A body that is missing, or that is a list
    ("POST", ORDERS, b"", "with `source`, `start_issue`, `length`, `country`, `order_id`, "),
    ("PATCH", f"{ORDERS}1/", b"", "with `first_name`, `last_name`, `company`, "),
    ("POST", ORDERS, [{}], "The body is a list; send one order a request"),
    ("POST", "/v1/issues/", [{}], "send one issue a request"),
    ("POST", "/v1/copies/mark-sent/", [1], '`{"ids": […]}`'),
    ("POST", "/v1/delivery-reports/", [{}], '`{"reports": […]}`'),
    ("POST", "/v1/copies/1/mark-sent/", [1], "`POST /v1/copies/mark-sent/` marks several copies."),
    ("POST", ORDERS, '{"order_id": "1"}', "The body is JSON that was encoded twice"),
    ("POST", ORDERS, 7, "The body is 7; send a JSON object with "),
    # A key of the client's own where the id of a record is meant
    ("GET", f"{ORDERS}1001/", None, "`GET …/subscriptions/?order_id=…`"),
    ("GET", "/v1/subscribers/ada@example.test/", None, "`GET …/subscribers/?email=…`"),
    ("GET", "/v1/issues/7/copies/", None, "`GET …/issues/` lists"),
    ("POST", "/v1/dispatches/", {"issue": "7"}, "`GET …/issues/` lists"),
    ("GET", "/v1/copies/?order_id=1", None, "`GET /v1/subscriptions/?order_id=…`"),
    # A field or a parameter of another request
    ("PATCH", f"{ORDERS}1/", {"status": "Cancelled"}, CANCEL),
    ("PATCH", f"{ORDERS}1/", {"is_recurring": False}, CANCEL),
    ("PATCH", f"{ORDERS}1/", {"email": "ada@example.test"}, SUBSCRIBER),
    ("PATCH", f"{ORDERS}1/", {"length": 4}, TERMS),
    ("PATCH", "/v1/subscribers/1/", {"phone": "0421 1"}, "`PATCH /v1/subscriptions/{id}/`"),
    ("POST", ORDERS, {"status": "Active"}, "masthead derives it"),
    ("POST", ORDERS, {"subscriber": "X"}, "Send the `email` of the subscriber"),
    ("POST", ORDERS, {"shipping_address": {}}, "`address1`, `city`"),
    ("POST", f"{ORDERS}1/cancel/", {"status": "Cancelled"}, "Send `mode`"),
    ("POST", "/v1/claims/", {"issue": "X"}, "`GET /v1/copies/?subscriber=…&issue=…`"),
    ("GET", "/v1/issues/?page=2", None, "pass the `cursor` of the previous one"),
    ("POST", "/v1/issues/", {"release_date": "2026-03-01"}, "`release_date_actual`, a date"),
    ("PATCH", "/v1/issues/1/", {"release_date": "2026-03-01"}, "`release_date_actual`, a date"),
    ("POST", ORDERS, {"start_date": "2026-03-01"}, "Send `start_issue`"),
    ("POST", ORDERS, {"quantity": 2}, "`POST /v1/orders/` takes"),
    ("POST", "/v1/orders/", {"quantity": 2}, "Send `copies`"),
    ("POST", "/v1/orders/", {"gifter": {}}, "Send `gifter_email` and `gifter_first_name`"),
    ("POST", "/v1/orders/", {"gifter_name": "Grace"}, "Send `gifter_email` and"),
    ("POST", "/v1/orders/", {"subscriber": "X"}, "Send `subscriber_id`, or the `email`"),
    ("GET", "/v1/sources/?updated_since=2026-03-01", None, "`GET /v1/events/` lists what changed"),
    ("GET", "/v1/issues/?modified_since=2026-03-01", None, "`updated_since` finds"),
    ("GET", "/v1/copies/?updated_since=2026-03-01", None, "`GET /v1/copies/?subscription=…`"),
    ("GET", "/v1/events/?since=2026-03-01", None, "begins with the oldest event"),
    ("GET", "/v1/events/?after=7", None, "begins with the oldest event"),
    # A name that other programs have for it
    ("POST", "/v1/orders/", {"zip": "1"}, "`zip` is not a field that can be set here. Did you "),
    ("POST", "/v1/orders/", {"Zip-Code": "1"}, "Did you mean `postcode`?"),
    ("POST", "/v1/orders/", {"street": "1"}, "Did you mean `address1`?"),
    ("PATCH", f"{ORDERS}1/", {"postal_code": "1"}, "Did you mean `postcode`?"),
    ("POST", "/v1/orders/", {"voucher": "1"}, "Did you mean `promo_code`?"),
    ("POST", "/v1/orders/", {"total": "1"}, "Did you mean `price`?"),
    ("POST", f"{ORDERS}1/renewals/", {"order_number": "1"}, "Did you mean `order_id`?"),
    ("POST", f"{ORDERS}1/cancel/", {"street": "1"}, "Allowed: `mode`."),
    ("POST", "/v1/webhooks/", {"events": []}, "Did you mean `types`?"),
    ("GET", "/v1/subscribers/?q=ada", None, "Did you mean `search`?"),
    ("GET", "/v1/subscribers/?sort=name", None, "A list has one order"),
    # A path that differs by a few letters
    ("GET", "/v1/subscriber/", None, "Did you mean `/v1/subscribers/`?"),
    ("POST", f"{ORDERS}1/renew/", {}, "Did you mean `/v1/subscriptions/{id}/renewals/`?"),
    ("POST", f"{ORDERS}1/restart/", {}, "There is nothing at this path."),
    # A filter in other spelling
    ("GET", f"{ORDERS}?status=active", None, "Did you mean `Active`? Separate several"),
    ("GET", "/v1/copies/?status=not_sent", None, "Did you mean `Not sent`?"),
    ("GET", "/v1/events/?type=subscription.create", None, "Did you mean `subscription.created`?"),
    # A method that the path does not have
    ("PUT", f"{ORDERS}1/", {}, "use GET, HEAD, PATCH. PATCH changes the fields that you send."),
    ("PUT", "/v1/issues/", {}, "use GET, HEAD, POST."),
    ("DELETE", f"{ORDERS}1/", {}, "To end a subscription, use `POST /v1/subscriptions/{id}/cancel"),
    ("DELETE", "/v1/webhooks/1/", {}, "use `POST /v1/webhooks/{id}/delete/`"),
    ("DELETE", "/v1/issues/1/", {}, "The API deletes no issues"),
    ("POST", "/v1/subscribers/", {}, "The first order of a subscriber creates them"),
    ("POST", "/v1/products/", {}, "Staff create products on the pages."),
    ("POST", "/v1/events/", {}, "is not allowed at this path; use GET, HEAD."),
    # A missing value that is not any text
    ("POST", ORDERS, {}, "`GET /v1/sources/`"),
    ("POST", ORDERS, {}, "such as `DE`"),
]


async def test_an_unknown_id_in_a_path_names_the_list(acme: Cast) -> None:
    for route in ROUTES:
        if route.method == "GET" and "{" in route.path and not route.is_public:
            path = re.sub(r"\{\w+\}", "1", route.path)
            asked = {"subscriber": "NOSUCH"} if path.endswith("/why/") else {}
            message = refused(await acme.get(path, **asked), "not_found", status=404)
            assert f"`GET …/{path.split('/')[2]}/" in message, path


async def test_a_message_of_pages_gets_the_request_that_comes_next(acme: Cast) -> None:
    order = manual(acme, product="NOSUCH")
    message = refused(await acme.post("/v1/orders/", order), "unknown_product")
    assert message.endswith(" Choose one from the list. `GET …/products/` lists the products.")
    bulk = await acme.post("/v1/orders/bulk/", {"orders": [order]})
    assert bulk.json()["items"][0]["error"]["message"] == message


def test_the_request_that_comes_next_exists() -> None:
    known = {f"{route.method} {route.path}" for route in ROUTES}
    for code in read_errors():
        for request in re.findall(r"`((?:GET|POST|PATCH) …/[^`?]*)", with_way_out("", code)):
            assert request.replace("…", "/v1") in known, code


@for_each("method, path, body, words", ADVICE)
async def test_an_error_names_the_way_out(
    acme: Cast, method: str, path: str, body: object, words: str
) -> None:
    if isinstance(body, bytes):
        response = await acme.client.request(method, path, key=acme.key, content=body)
    elif body is None:
        response = await acme.get(path)
    else:
        response = await acme.client.request(method, path, key=acme.key, json=body)
    assert response.status_code in (400, 404, 405)
    told = response.json()
    messages = [told["message"], *(each["message"] for each in told.get("errors", ()))]
    assert any(words in message for message in messages), messages
