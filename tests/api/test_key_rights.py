"""API keys that may do only some of what their scope allows."""

import re
import typing
from collections.abc import Iterator
from datetime import timedelta

import msgspec

from masthead.api.authentication import Access
from masthead.api.openapi.document import document
from masthead.api.routes import ROUTES
from masthead.model.identity.rights import STAFF_RIGHTS, Right, Rights, in_order
from masthead.model.types.enums import Role, Scope
from masthead.services import keys, users
from masthead.store import users as store
from tests.conftest import BY, Cast
from tests.support.billing import HOME, bill, turn_on_billing
from tests.support.cases import for_each
from tests.support.factories import manual
from tests.support.serving import ROOT
from tests.support.subscribers import make_subscriber

WITH_KEY = [route for route in ROUTES if route.access is not Access.PUBLIC]


async def narrowed(cast: Cast, rights: Rights | None) -> str:
    _id, key = await keys.create_key(
        cast.db, cast.account_id, user=cast.owner, scope=Scope.READ_WRITE, rights=rights, by=BY
    )
    return key


def test_every_route_declares_its_rights() -> None:
    assert [str(route) for route in WITH_KEY if route.rights is None] == []


MONEY = re.compile("price|amount|total|net|vat|iban|currency|refund|discount|paid|revenue")
PERSONAL = re.compile("email|first_name|full_name|address|phone|city|postcode|company")
OWN = ("GET", "/v1/me/")  # says to whom the key belongs


def fields_in(kind: object, seen: frozenset[object] = frozenset()) -> Iterator[str]:
    """The names of the fields of a response, and of all records in it."""
    struct = typing.get_origin(kind) or kind
    if isinstance(struct, type) and issubclass(struct, msgspec.Struct):
        if struct in seen:
            return
        for field in msgspec.structs.fields(struct):
            yield field.encode_name
            yield from fields_in(field.type, seen | {struct})
    for inner in typing.get_args(kind):
        yield from fields_in(inner, seen)


def test_what_a_key_may_not_see_is_in_no_response_that_it_gets() -> None:
    seen = {route: set(fields_in(route.response)) for route in WITH_KEY}
    priced = {route for route in WITH_KEY if any(map(MONEY.search, seen[route]))}
    assert len(priced) >= 20  # it finds them
    assert {str(route) for route in priced if Right.SEE_MONEY not in (route.rights or ())} == set()
    people = {Right.DOWNLOAD, Right.DISPATCH, Right.CORRECT, Right.SEE_MONEY}
    for route in WITH_KEY:
        is_open = people.isdisjoint(route.rights or ()) and (route.method, route.path) != OWN
        assert not is_open or not any(map(PERSONAL.match, seen[route])), str(route)


@for_each("right", list(Right), ids=str)
async def test_a_key_without_a_right_is_refused_exactly_its_routes(
    right: Right, acme: Cast
) -> None:
    key = await narrowed(acme, frozenset(Right) - {right})
    for route in WITH_KEY:
        path = route.path.replace("{id}", "0NOSUCH").replace("{copy_id}", "0NOSUCH")
        response = await acme.client.request(route.method, path, key=key)
        code = response.json().get("code") if response.status_code >= 400 else None
        assert (code == "missing_right") == (right in (route.rights or ())), str(route)


async def test_a_key_of_a_mailing_house_reads_runs_and_no_lists(acme: Cast) -> None:
    key = await narrowed(acme, frozenset({Right.DISPATCH}))
    for path in ("/v1/me/", "/v1/issues/", "/v1/dispatches/"):
        assert (await acme.client.get(path, key=key)).status_code == 200
    response = await acme.client.get("/v1/subscribers/", key=key)
    assert (response.status_code, response.json()["code"]) == (403, "missing_right")
    assert "needs the rights `see_money` and `download`, which" in response.json()["message"]
    response = await acme.client.get("/v1/copies/", key=key)
    assert "needs the right `download`, which" in response.json()["message"]


PROGRAMS: dict[str, tuple[str, ...]] = {
    "A mailing house that reads the addresses of runs": (
        "GET /v1/issues/",
        "GET /v1/dispatches/",
        "GET /v1/dispatches/{id}/lines/",
    ),
    "A mailing house that also freezes and marks runs, and reports returns": (
        "POST /v1/dispatches/",
        "GET /v1/dispatches/{id}/lines/",
        "POST /v1/dispatches/{id}/mark-sent/",
        "POST /v1/delivery-reports/",
    ),
    "A newsletter, a sync of subscribers, or a reader of events": (
        "GET /v1/subscribers/",
        "GET /v1/subscriptions/",
        "GET /v1/copies/",
        "GET /v1/events/",
    ),
    "A shop that places, renews, changes, cancels and refunds orders": (
        "GET /v1/sources/",
        "GET /v1/issues/",
        "GET /v1/products/",
        "POST /v1/orders/",
        "POST /v1/subscriptions/",
        "GET /v1/subscriptions/{id}/",
        "PATCH /v1/subscriptions/{id}/",
        "POST /v1/subscriptions/{id}/renewals/",
        "POST /v1/subscriptions/{id}/cancel/",
        "POST /v1/subscriptions/{id}/refunds/",
    ),
}


def test_the_reference_says_which_rights_the_keys_of_programs_need() -> None:
    routes = {str(route): route for route in ROUTES}
    for program, operations in PROGRAMS.items():
        used = [routes[each] for each in operations]
        rights = in_order(right for route in used for right in route.rights or ())
        scope = Scope.READ_WRITE if any(route.is_write for route in used) else Scope.READ_ONLY
        row = f"| {program} | `{scope}` | `{','.join(rights)}` |"
        assert row in (ROOT / "docs/api.md").read_text(encoding="utf-8")


def test_each_operation_says_which_rights_it_needs() -> None:
    for route in WITH_KEY:
        words = document()["paths"][route.path][route.method.lower()]["description"]
        told = re.search(r"^Needs the rights? (.*)\.$", words, re.MULTILINE)
        named = re.findall(r"`(\w+)`", told[1]) if told else []
        assert named == in_order(route.rights or ()), str(route)


async def test_only_an_order_that_is_billed_needs_the_right_to_bill(acme: Cast) -> None:
    await turn_on_billing(acme)
    keys_of = {
        is_narrow: await narrowed(acme, frozenset(Right) - ({Right.BILL} if is_narrow else set()))
        for is_narrow in (True, False)
    }
    for is_narrow, is_billed, status in (
        (True, True, 403),
        (True, False, 201),
        (False, True, 201),
        (False, False, 201),
    ):
        body = manual(acme, **HOME, is_billed=is_billed)
        response = await acme.client.post("/v1/orders/", key=keys_of[is_narrow], json=body)
        assert response.status_code == status, (is_narrow, is_billed, response.text)


async def test_many_orders_and_a_renewal_need_the_right_to_bill_if_one_is_billed(
    acme: Cast,
) -> None:
    await turn_on_billing(acme)
    sold = await bill(acme)
    key = await narrowed(acme, frozenset(Right) - {Right.BILL})
    before = (await acme.get("/v1/subscriptions/")).json()["items"]
    orders = [manual(acme, **HOME, is_billed=is_billed) for is_billed in (False, True)]
    renewal = {**manual(acme), "is_billed": True}
    renewal = {name: renewal[name] for name in "source order_id order_date price is_billed".split()}
    for path, body in (
        ("/v1/orders/bulk/", {"orders": orders}),
        (f"/v1/subscriptions/{sold.subscriptions[0].id}/renewals/", renewal),
    ):
        refused = await acme.client.post(path, key=key, json=body)
        assert (refused.status_code, refused.json()["code"]) == (403, "missing_right"), path
        assert "`bill`" in refused.json()["message"]
    assert (await acme.get("/v1/subscriptions/")).json()["items"] == before


async def test_only_a_change_of_an_invoice_needs_the_right_to_bill(acme: Cast) -> None:
    await turn_on_billing(acme)
    placed = await bill(acme)
    path = f"/v1/subscriptions/{placed.subscriptions[0].id}/"
    to_id = await make_subscriber(acme, "new@x.test", **HOME)
    key = await narrowed(acme, frozenset(Right) - {Right.BILL})
    price = {"order_id": placed.order_id, "price": "48", "invoice_action": "replace"}
    move = {"subscriber": to_id, "invoice_action": "replace"}
    for part, body in (("price", price), ("move", move)):
        response = await acme.client.post(f"{path}{part}/", key=key, json=body)
        assert (response.status_code, response.json()["code"]) == (403, "missing_right")
        assert "`bill`" in response.json()["message"]
    refund = {"order_id": placed.order_id, "amount": "5"}
    refused = await acme.client.post(f"{path}refunds/", key=key, json=refund)
    assert (refused.status_code, refused.json()["code"]) == (403, "missing_right")
    assert "`bill`" in refused.json()["message"]
    assert (await acme.get(f"{path}refunds/")).json()["items"] == []
    moved = await acme.client.post(f"{path}move/", key=key, json={"subscriber": to_id})
    assert moved.status_code == 200, moved.text
    assert moved.json()["subscriber"]["id"] == to_id


async def test_a_rolled_key_stays_narrowed(acme: Cast) -> None:
    id, _key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_ONLY,
        rights=frozenset({Right.DISPATCH}),
        by=BY,
    )
    _id, key = await keys.roll_key(acme.db, acme.account_id, id, overlap=timedelta(hours=1), by=BY)
    assert (await acme.client.get("/v1/subscribers/", key=key)).status_code == 403


async def test_a_key_may_do_no_more_than_a_user_with_chosen_rights(acme: Cast) -> None:
    id = await users.add_user(acme.db, acme.account_id, email="bob@x.test", by=BY)
    _id, key = await keys.create_key(
        acme.db, acme.account_id, user="bob@x.test", scope=Scope.READ_ONLY, by=BY
    )
    rights = STAFF_RIGHTS - {Right.DOWNLOAD}
    await users.change_role(acme.db, acme.account_id, id, role=Role.STAFF, rights=rights, by=BY)
    async with acme.db.read() as db:
        assert (await store.get_user(db, acme.account_id, id)).rights == rights
    assert (await acme.client.get("/v1/subscribers/", key=key)).status_code == 403
