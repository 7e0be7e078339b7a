"""Each request of the OpenAPI document can be sent twice, as programs and `/docs` fill it in."""

import re
from typing import Any

from masthead.api.route import Route
from masthead.api.routes import ROUTES
from tests.conftest import Cast
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import (
    copies_of,
    made,
    make_claim,
    make_dispatch,
    make_issue,
    make_subscription,
    plan_address,
)
from tests.support.honest_errors import HONEST_ERRORS
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.openapi import described

ADDRESS = {"address1": "Am Markt 1", "city": "Bremen", "country": "DE"}


def example_body(route: Route) -> Any:
    """The body that is filled in; None if the operation has none."""
    whole = described()
    operation = whole["paths"][route.path][route.method.lower()]
    if "requestBody" not in operation:
        return None
    (example,) = operation["requestBody"]["content"]["application/json"]["examples"]
    return whole["components"]["examples"][example]["value"]


async def test_each_request_can_be_sent_twice(rival: Cast, acme: Cast) -> None:
    assert rival.account_id < acme.account_id  # the events of the examples are of account 1
    issue = await make_issue(acme)
    await make_subscription(acme)
    subscription = await make_subscription(acme)
    (copy,) = await copies_of(acme, subscription["id"])
    claim = await make_claim(acme, subscription)
    moved = {"copy": copy["id"], "kind": "moved", **ADDRESS}
    reported = await acme.post("/v1/delivery-reports/", {"reports": [moved]})
    run = await make_dispatch(acme, issue["id"])
    change = await plan_address(acme, subscription["id"], 50)
    webhook = made(await acme.post("/v1/webhooks/", {"url": PUBLIC_URL}))
    await turn_on_billing(acme, has_issue=True)
    invoice = await bill_one(acme)
    paid = {"amount": "10", "payer": invoice.payer_id}
    ids = {
        "subscribers": subscription["subscriber"]["id"],
        "subscriptions": subscription["id"],
        "issues": issue["id"],
        "copies": copy["id"],
        "dispatches": run["id"],
        "delivery-reports": reported.json()["items"][0]["id"],
        "claims": claim["id"],
        "products": subscription["product"]["id"],
        "address-changes": change["id"],
        "webhooks": webhook["id"],
        "invoices": invoice.id,
        "payments": made(await acme.post("/v1/payments/", paid))["id"],
    }
    found: dict[str, list[str]] = {}
    for route in ROUTES:
        path = re.sub(r"\{\w+\}", str(ids.get(route.path.split("/")[2])), route.path)
        params = {"subscriber": ids["subscribers"]} if "/why/" in route.path else None
        body, found[route.name] = example_body(route), []
        for _ in range(2):
            response = await acme.client.request(
                route.method, path, key=acme.key, json=body, params=params
            )
            found[route.name].append("" if response.is_success else response.json()["code"])
    assert found == {route.name: HONEST_ERRORS.get(route.name, ["", ""]) for route in ROUTES}
