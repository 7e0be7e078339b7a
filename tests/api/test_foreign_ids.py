"""An id of another account in a filter or a body is answered as an id that no record has."""

import json
from typing import Any

from masthead.model import ids
from masthead.model.orders.offers import Offer
from masthead.services.products import create_product
from tests.conftest import BY, Cast
from tests.support.billing import bill, turn_on_billing
from tests.support.factories import (
    copies_of,
    fresh_order_id,
    made,
    make_claim,
    make_dispatch,
    make_issue,
    manual,
)

UNKNOWN = 2**52  # of a copy that no account has
NOTHING_DONE = ('"updated_count":0', '"result":"unmatched"')  # in answers with several results
Record = dict[str, Any]

# The filters that name a record, by the list
FILTERS = {
    "/v1/subscriptions/": ("subscriber", "source", "order_id", "email"),
    "/v1/subscribers/": ("email",),
    "/v1/copies/": ("subscriber", "subscription", "issue"),
    "/v1/issues/{issue}/copies/": ("subscriber", "subscription"),
    "/v1/issues/{issue}/why/": ("subscriber", "email as subscriber"),
    "/v1/dispatches/": ("issue",),
    "/v1/delivery-reports/": ("subscriber", "subscription"),
    "/v1/claims/": ("subscriber", "subscription", "issue", "copy"),
    "/v1/invoices/": ("payer", "subscription"),
    "/v1/payments/": ("payer", "invoice"),
    "/v1/address-changes/": ("subscriber", "subscription"),
    "/v1/events/": ("record",),
}


async def world(cast: Cast) -> Record:
    """Records of an account, and their values, by the name of the field that names them."""
    issue = await make_issue(cast)
    await turn_on_billing(cast, has_issue=True)
    order_id = fresh_order_id()
    placed = await bill(cast, order_id=order_id, email=f"ada@{cast.subdomain}.test")
    subscription = made(await cast.get(f"/v1/subscriptions/{placed.subscriptions[0].id}/"))
    (copy,) = await copies_of(cast, subscription["id"])
    await make_claim(cast, subscription)
    product = await create_product(
        cast.db, cast.account_id, name="A year", offer=Offer(length=4), by=BY
    )
    return {
        "subscriber": subscription["subscriber"]["id"],
        "payer": subscription["subscriber"]["id"],
        "email": subscription["subscriber"]["email"],
        "subscription": subscription["id"],
        "record": subscription["id"],
        "order_id": order_id,
        "source": cast.shop,
        "issue": issue["id"],
        "copy": copy["id"],
        "invoice": placed.invoices[0],
        "product": product.id,
        "run": (await make_dispatch(cast, issue["id"]))["id"],
    }


def unknown(cast: Cast) -> Record:
    """Values of the same fields that no record has."""
    of_records = "subscriber payer subscription record source issue invoice product run".split()
    texts = {"email": "no@body.test", "order_id": fresh_order_id()}
    return dict.fromkeys(of_records, ids.new_id(cast.account_id)) | texts | {"copy": UNKNOWN}


def plain(text: str, values: Record) -> str:
    """An answer without the values that it repeats."""
    for value in sorted({str(each) for each in values.values()}, key=len, reverse=True):
        text = text.replace(value, "…")
    return text


async def test_filters_by_foreign_records_find_nothing(acme: Cast, rival: Cast) -> None:
    own, foreign, none = await world(acme), await world(rival), unknown(acme)
    differing = []
    for path, names in FILTERS.items():
        for each in names:
            source, _, name = each.rpartition(" as ")
            source = source or name
            said = []
            for values in (foreign, none):
                query = {name: values[source]}
                response = await acme.get(path.format(issue=own["issue"]), **query)
                said.append((response.status_code, plain(response.text, values)))
            if said[0] != said[1]:
                differing.append((path, each, said))
    assert not differing


async def test_bodies_with_foreign_records_are_refused_as_unknown_ones(
    acme: Cast, rival: Cast
) -> None:
    own, foreign, none = await world(acme), await world(rival), unknown(acme)
    subscription = f"/v1/subscriptions/{own['subscription']}/"
    order = {"source": acme.shop, "product": own["product"], "address1": "1 Elm", "country": "DE"}
    order |= {"email": "new@example.test", "city": "Ulm", "first_name": "Al", "price": "1"}
    renewal = {"order_date": "2026-05-03", "price": "1", "source": acme.shop, "order_id": "R-9"}
    move = {"address1": "2 Oak", "city": "Ulm", "country": "DE", "first_issue": 2}

    def bodies(values: Record) -> list[tuple[str, Record]]:
        payer = {"is_billed": True, "payer_id": values["payer"]}
        return [
            ("/v1/subscriptions/", manual(acme, source=values["source"])),
            ("/v1/orders/", order | {"source": values["source"]}),
            ("/v1/orders/", order | {"product": values["product"]}),
            ("/v1/orders/", order | {"subscriber_id": values["subscriber"], "email": None}),
            ("/v1/orders/", order | {"is_gift": True, "gifter_id": values["subscriber"]}),
            ("/v1/orders/", order | payer),
            ("/v1/orders/bulk/", {"orders": [order | {"product": values["product"]}]}),
            (f"{subscription}renewals/", renewal | {"source": values["source"]}),
            (f"{subscription}renewals/", renewal | payer),
            (f"{subscription}move/", {"subscriber": values["subscriber"]}),
            (f"{subscription}price/", {"order_id": values["order_id"], "price": "1"}),
            (f"{subscription}refunds/", {"order_id": values["order_id"], "amount": "1"}),
            ("/v1/copies/mark-sent/", {"ids": [values["copy"]]}),
            ("/v1/dispatches/", {"issue": values["issue"]}),
            ("/v1/dispatches/", {"issue": own["issue"], "sources": [values["source"]]}),
            ("/v1/claims/", {"copy": values["copy"], "reason": "other"}),
            (
                "/v1/delivery-reports/",
                {"reports": [{"copy": values["copy"], "kind": "undeliverable"}]},
            ),
            ("/v1/payments/", {"amount": "1", "payer": values["payer"]}),
            ("/v1/payments/", {"amount": "1", "invoices": [values["invoice"]]}),
            ("/v1/address-changes/", move | {"subscriptions": [values["subscription"]]}),
        ]

    differing = []
    for (path, theirs), (_path, nobody) in zip(bodies(foreign), bodies(none), strict=True):
        said = []
        for values, body in ((foreign, theirs), (none, nobody)):
            response = await acme.post(path, body)
            said.append((response.status_code, plain(response.text, values)))
        status, text = said[0]
        is_done = status < 400 and not any(each in text for each in NOTHING_DONE)
        if said[0] != said[1] or is_done:
            differing.append((path, json.dumps(theirs), said))
    assert not differing
