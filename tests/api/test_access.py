"""Access: all routes with every kind of API key, and the order of the checks."""

import re
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import pytest
from starlette.applications import Starlette
from starlette.routing import Route as PathRoute

from masthead.api.authentication import Access
from masthead.api.route import Route
from masthead.api.routes import ROUTES
from masthead.model import ids
from masthead.model.orders.offers import Offer
from masthead.model.types.enums import Scope
from masthead.services import accounts, keys
from masthead.services.products import create_product
from masthead.settings import Settings
from masthead.store.engine.interface import Database
from masthead.store.keys import list_keys
from tests.conftest import BY, Cast, Client, make_account, serving
from tests.support.become_sandbox import become_sandbox
from tests.support.billing import bill, turn_on_billing
from tests.support.cases import for_each
from tests.support.expect import refused
from tests.support.factories import (
    copies_of,
    made,
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_subscription,
)
from tests.support.keyed_requests import PUBLIC_URL
from tests.support.walk import walk
from tests.support.webhooks import make_webhook

OVERSIZED = 1024 * 1024 + 1
OFFER = Offer(length=4)
API = [route for route in ROUTES if route.path.startswith("/v1/")]
GUARDED = [route for route in API if route.access is not Access.PUBLIC]
READS = [route for route in GUARDED if route.access is Access.READ]
WRITES = [route for route in GUARDED if route.access is Access.WRITE]
PATHS = sorted({route.path for route in API})
WITH_ID = [route for route in GUARDED if "{id}" in route.path]

NEW_ADDRESS = {"address1": "2 Oak Road", "city": "Ulm", "country": "DE"}
BODIES: dict[str, dict[str, object]] = {
    "/v1/subscriptions/": {},
    "/v1/subscriptions/{id}/": {"notes": "seen"},
    "/v1/subscriptions/{id}/cancel/": {"mode": "cancel"},
    "/v1/subscriptions/{id}/renewals/": {
        "source": "0" * 31,
        "order_id": "R-1",
        "order_date": "2026-05-03",
        "price": "0",
    },
    "/v1/subscribers/{id}/": {"first_name": "Seen"},
    "/v1/issues/": {"number": 99},
    "/v1/issues/{id}/": {"name": "Seen"},
    "/v1/copies/mark-sent/": {"ids": [1]},
    "/v1/copies/{copy_id}/mark-sent/": {},
    "/v1/dispatches/": {"issue": "0" * 31},
    "/v1/dispatches/{id}/mark-sent/": {"date": "2026-05-03"},
    "/v1/dispatches/{id}/undo/": {},
    "/v1/dispatches/{id}/discard/": {},
    "/v1/delivery-reports/": {"reports": [{"copy": 1, "kind": "undeliverable"}]},
    "/v1/delivery-reports/{id}/accept/": {},
    "/v1/delivery-reports/{id}/dismiss/": {},
    "/v1/claims/": {"copy": 1, "reason": "other"},
    "/v1/claims/{id}/close/": {},
    "/v1/invoices/{id}/credit/": {"reason": "Moved"},
    "/v1/payments/": {"amount": "1"},
    "/v1/payments/{id}/undo/": {},
    "/v1/orders/": {},
    "/v1/orders/bulk/": {"orders": [{}]},
    "/v1/subscriptions/{id}/terms/": {"length": 6},
    "/v1/subscriptions/{id}/reopen/": {},
    "/v1/subscriptions/{id}/move/": {"subscriber": "0" * 31},
    "/v1/subscriptions/{id}/price/": {"order_id": "R-1", "price": "1"},
    "/v1/subscriptions/{id}/refunds/": {"order_id": "R-1", "amount": "1"},
    "/v1/address-changes/": NEW_ADDRESS | {"subscriptions": ["0" * 31]},
    "/v1/address-changes/{id}/cancel/": {},
    "/v1/webhooks/": {"url": PUBLIC_URL},
    "/v1/webhooks/{id}/": {"status": "disabled"},
    "/v1/webhooks/{id}/rotate/": {},
    "/v1/webhooks/{id}/test/": {},
    "/v1/webhooks/{id}/resend/": {"first": 1},
    "/v1/webhooks/{id}/delete/": {},
    "/v1/sandbox/clock/": {"to": "2026-05-03"},
    "/v1/sandbox/reset/": {},
}
"""What each writing path is sent: valid bodies, save for creating subscriptions."""

SPECIFIED = {  # the table of the specification, in full
    ("GET", "/v1/me/"): Access.READ,
    ("GET", "/v1/subscribers/"): Access.READ,
    ("GET", "/v1/subscribers/{id}/"): Access.READ,
    ("GET", "/v1/sources/"): Access.READ,
    ("GET", "/v1/subscriptions/"): Access.READ,
    ("POST", "/v1/subscriptions/"): Access.WRITE,
    ("GET", "/v1/subscriptions/{id}/"): Access.READ,
    ("PATCH", "/v1/subscriptions/{id}/"): Access.WRITE,
    ("POST", "/v1/subscriptions/{id}/cancel/"): Access.WRITE,
    ("GET", "/v1/subscriptions/{id}/status/"): Access.PUBLIC,
    ("GET", "/v1/issues/"): Access.READ,
    ("POST", "/v1/issues/"): Access.WRITE,
    ("GET", "/v1/issues/{id}/"): Access.READ,
    ("PATCH", "/v1/issues/{id}/"): Access.WRITE,
    ("GET", "/v1/issues/{id}/copies/"): Access.READ,
    ("GET", "/v1/copies/"): Access.READ,
    ("POST", "/v1/copies/mark-sent/"): Access.WRITE,
    ("POST", "/v1/copies/{copy_id}/mark-sent/"): Access.WRITE,
}

ADDED = {  # what the specification does not have
    ("PATCH", "/v1/subscribers/{id}/"): Access.WRITE,
    ("POST", "/v1/subscriptions/{id}/renewals/"): Access.WRITE,
    ("GET", "/v1/issues/{id}/addresses/"): Access.READ,
    ("GET", "/v1/dispatches/"): Access.READ,
    ("POST", "/v1/dispatches/"): Access.WRITE,
    ("GET", "/v1/dispatches/{id}/"): Access.READ,
    ("GET", "/v1/dispatches/{id}/lines/"): Access.READ,
    ("POST", "/v1/dispatches/{id}/mark-sent/"): Access.WRITE,
    ("POST", "/v1/dispatches/{id}/undo/"): Access.WRITE,
    ("POST", "/v1/dispatches/{id}/discard/"): Access.WRITE,
    ("GET", "/v1/delivery-reports/"): Access.READ,
    ("POST", "/v1/delivery-reports/"): Access.WRITE,
    ("GET", "/v1/delivery-reports/{id}/"): Access.READ,
    ("POST", "/v1/delivery-reports/{id}/accept/"): Access.WRITE,
    ("POST", "/v1/delivery-reports/{id}/dismiss/"): Access.WRITE,
    ("GET", "/v1/claims/"): Access.READ,
    ("POST", "/v1/claims/"): Access.WRITE,
    ("GET", "/v1/claims/{id}/"): Access.READ,
    ("POST", "/v1/claims/{id}/close/"): Access.WRITE,
    ("GET", "/v1/events/"): Access.READ,
    ("GET", "/v1/invoices/"): Access.READ,
    ("GET", "/v1/invoices/{id}/"): Access.READ,
    ("POST", "/v1/invoices/{id}/credit/"): Access.WRITE,
    ("GET", "/v1/payments/"): Access.READ,
    ("POST", "/v1/payments/"): Access.WRITE,
    ("GET", "/v1/payments/{id}/"): Access.READ,
    ("POST", "/v1/payments/{id}/undo/"): Access.WRITE,
    ("GET", "/v1/issues/{id}/why/"): Access.READ,
    ("GET", "/v1/copies/{copy_id}/"): Access.READ,
    ("GET", "/v1/products/"): Access.READ,
    ("GET", "/v1/products/{id}/"): Access.READ,
    ("POST", "/v1/orders/"): Access.WRITE,
    ("POST", "/v1/orders/bulk/"): Access.WRITE,
    ("POST", "/v1/subscriptions/{id}/terms/"): Access.WRITE,
    ("POST", "/v1/subscriptions/{id}/reopen/"): Access.WRITE,
    ("POST", "/v1/subscriptions/{id}/move/"): Access.WRITE,
    ("POST", "/v1/subscriptions/{id}/price/"): Access.WRITE,
    ("GET", "/v1/subscriptions/{id}/refunds/"): Access.READ,
    ("POST", "/v1/subscriptions/{id}/refunds/"): Access.WRITE,
    ("GET", "/v1/address-changes/"): Access.READ,
    ("POST", "/v1/address-changes/"): Access.WRITE,
    ("GET", "/v1/address-changes/{id}/"): Access.READ,
    ("POST", "/v1/address-changes/{id}/cancel/"): Access.WRITE,
    ("GET", "/v1/webhooks/"): Access.READ,
    ("POST", "/v1/webhooks/"): Access.WRITE,
    ("GET", "/v1/webhooks/{id}/"): Access.READ,
    ("PATCH", "/v1/webhooks/{id}/"): Access.WRITE,
    ("POST", "/v1/webhooks/{id}/rotate/"): Access.WRITE,
    ("POST", "/v1/webhooks/{id}/test/"): Access.WRITE,
    ("GET", "/v1/webhooks/{id}/deliveries/"): Access.READ,
    ("POST", "/v1/webhooks/{id}/resend/"): Access.WRITE,
    ("POST", "/v1/webhooks/{id}/delete/"): Access.WRITE,
    ("GET", "/v1/sandbox/clock/"): Access.READ,
    ("POST", "/v1/sandbox/clock/"): Access.WRITE,
    ("POST", "/v1/sandbox/reset/"): Access.WRITE,
    ("GET", "/v1/sandbox/emails/"): Access.READ,
}
QUERIES = {"/v1/issues/{id}/why/": "?subscriber=ada@example.test"}  # parameters that are required


def filled(path: str, id: str = "0" * 31, *, copy: str = "1") -> str:
    """A path with its parameters filled in, by default with an unknown id."""
    return path.replace("{id}", id).replace("{copy_id}", copy) + QUERIES.get(path, "")


async def records_of(cast: Cast) -> dict[str, dict[str, object]]:
    """New records of an account, by the part of the path that they have."""
    issue = await make_issue(cast)
    await turn_on_billing(cast, has_issue=True)
    placed = await bill(cast)
    subscription = made(await cast.get(f"/v1/subscriptions/{placed.subscriptions[0].id}/"))
    payer = subscription["subscriber"]["id"]
    payment = made(await cast.post("/v1/payments/", {"amount": "10", "payer": payer}))
    claim = await make_claim(cast, subscription)
    (copy,) = await copies_of(cast, subscription["id"])
    move = NEW_ADDRESS | {"subscriptions": [subscription["id"]], "first_issue": 2}
    (change,) = made(await cast.post("/v1/address-changes/", move))["items"]
    product = await create_product(cast.db, cast.account_id, name="A year", offer=OFFER, by=BY)
    webhook = await make_webhook(cast, PUBLIC_URL)
    return {
        "issues": issue,
        "subscriptions": subscription,
        "subscribers": subscription["subscriber"],
        "claims": claim,
        "copies": copy,
        "address-changes": change,
        "invoices": made(await cast.get(f"/v1/invoices/{placed.invoices[0]}/")),
        "payments": payment,
        "products": made(await cast.get(f"/v1/products/{product.id}/")),
        "webhooks": made(await cast.get(f"/v1/webhooks/{webhook.id}/")),
        "dispatches": await make_dispatch(cast, issue["id"]),
        "delivery-reports": await make_delivery_report(cast, subscription["id"]),
    }


@pytest.fixture
async def records(acme: Cast) -> dict[str, dict[str, object]]:
    """Records of Acme."""
    return await records_of(acme)


@pytest.fixture
async def trial(client: Client, db: Database) -> Cast:
    """A sandbox: the routes of its clock and its emails refuse accounts with real time."""
    cast = await make_account(client, db, "Trial")
    await become_sandbox(cast)
    return cast


def served_account(route: Route, acme: Cast, trial: Cast) -> Cast:
    """The account that a route serves: the sandbox for its own routes, and Acme for others."""
    return trial if route.path.startswith("/v1/sandbox/") else acme


def with_own_id(path: str, records: dict[str, dict[str, object]]) -> str:
    """A path with the id of a record, if it takes one."""
    id = str(records.get(path.split("/")[2], {}).get("id"))
    return filled(path, id, copy=id)


def body_of(route: Route) -> object:
    """The body for a request to a route; None if it takes none."""
    return BODIES[route.path] if route.method != "GET" else None


async def chunks(size: int) -> AsyncIterator[bytes]:
    """A body of spaces whose length is not declared."""
    for _ in range(size // 65536):
        yield b" " * 65536
    yield b" " * (size % 65536)


def test_the_route_table_matches_the_specification() -> None:
    table = {(route.method, route.path): route.access for route in API}
    assert table == SPECIFIED | ADDED


def test_the_app_serves_no_other_versioned_path(app: Starlette) -> None:
    served = {route.path for route in app.routes if isinstance(route, PathRoute)}
    assert {path for path in served if path.startswith("/v1/")} <= set(PATHS)


# --- no valid key: an empty 401 -------------------------------------------------------------------


@for_each("route", GUARDED, ids=str)
async def test_without_a_key_every_protected_route_returns_an_empty_401(
    client: Client, route: Route
) -> None:
    response = await client.request(route.method, filled(route.path), json=body_of(route))
    assert response.status_code == 401
    assert response.content == b""
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


def altered(key: str) -> str:
    """The key with its last letter changed, so that its checksum is wrong."""
    return key[:-1] + ("A" if key[-1] != "A" else "B")


AUTHORIZATIONS: dict[str, Callable[[str], str]] = {
    "empty": lambda key: "",
    "scheme alone": lambda key: "Bearer",
    "scheme and blank": lambda key: "Bearer ",
    "key without scheme": lambda key: key,
    "other scheme": lambda key: f"Basic {key}",
    "junk": lambda key: "Bearer junk",
    "prefix alone": lambda key: "Bearer mh_",
    "wrong checksum": lambda key: f"Bearer {altered(key)}",
    "wrong prefix": lambda key: f"Bearer xx{key[2:]}",
    "cut": lambda key: f"Bearer {key[:-1]}",
    "longer": lambda key: f"Bearer {key}0",
    "two keys": lambda key: f"Bearer {key} {key}",
    "upper case": lambda key: f"Bearer {key.upper()}",
    "very long": lambda key: f"Bearer {key * 50}",
    "beyond ASCII": lambda key: "Bearer clé",
}


@for_each("kind", AUTHORIZATIONS)
async def test_a_header_without_a_valid_key_gets_an_empty_401(
    client: Client, acme: Cast, kind: str
) -> None:
    header = AUTHORIZATIONS[kind](acme.key)
    response = await client.get("/v1/me/", headers=[(b"Authorization", header.encode())])
    assert response.status_code == 401
    assert response.content == b""
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@for_each("route", GUARDED, ids=str)
@for_each("kind", ["junk", "wrong checksum"])
async def test_no_route_accepts_an_invalid_key(
    client: Client, acme: Cast, route: Route, kind: str
) -> None:
    response = await client.request(
        route.method,
        filled(route.path),
        json=body_of(route),
        headers={"Authorization": AUTHORIZATIONS[kind](acme.key)},
    )
    assert response.status_code == 401
    assert response.content == b""


async def test_a_well_formed_unknown_key_gets_an_empty_401(client: Client, acme: Cast) -> None:
    for account_id in (acme.account_id, ids.MAX_ACCOUNT):
        response = await client.get("/v1/me/", key=ids.new_key(account_id))
        assert response.status_code == 401
        assert response.content == b""


async def test_two_authorization_headers_get_an_empty_401(client: Client, acme: Cast) -> None:
    header = ("Authorization", f"Bearer {acme.key}")
    assert (await client.get("/v1/me/", headers=[header])).status_code == 200
    assert (await client.get("/v1/me/", headers=[header, header])).status_code == 401


@for_each(
    "kind, error, says",
    [
        ("key without scheme", "invalid_request", "Authorization: Bearer mh_"),
        ("other scheme", "invalid_request", "Authorization: Bearer mh_"),
        ("junk", "invalid_token", "not an API key"),
        ("wrong checksum", "invalid_token", "checksum"),
        ("very long", "invalid_token", "not an API key"),
        ("two headers", "invalid_request", "several Authorization headers"),
        ("unknown", "invalid_token", "unknown, revoked or expired"),
    ],
)
async def test_a_401_says_what_is_wrong_with_the_key(
    client: Client, acme: Cast, kind: str, error: str, says: str
) -> None:
    given = {
        "two headers": [f"Bearer {acme.key}"] * 2,
        "unknown": [f"Bearer {ids.new_key(acme.account_id)}"],
    }.get(kind) or [AUTHORIZATIONS[kind](acme.key)]
    headers = [("Authorization", each) for each in given]
    response = await client.get("/v1/me/", headers=headers)
    assert response.content == b""
    header = response.headers["WWW-Authenticate"]
    # decision 0008: RFC 6750, section 3
    match = re.fullmatch(r'Bearer error="(\w+)", error_description="([ !#-\[\]-~]+)"', header)
    assert match is not None, header
    assert match[1] == error
    assert says in match[2]


async def test_a_request_without_a_key_gets_the_scheme_alone(client: Client) -> None:
    assert (await client.get("/v1/me/")).headers["WWW-Authenticate"] == "Bearer"


async def test_the_scheme_ignores_case(client: Client, acme: Cast) -> None:
    response = await client.get("/v1/me/", headers={"Authorization": f"bearer {acme.key}"})
    assert response.status_code == 200


@pytest.fixture
async def revoked_key(acme: Cast) -> str:
    """A key of Acme that is revoked."""
    id, key = await keys.create_key(
        acme.db, acme.account_id, user=acme.owner, scope=Scope.READ_WRITE, by=BY
    )
    await keys.revoke_key(acme.db, acme.account_id, id, by=BY)
    return key


async def require_unknown(client: Client, key: str, route: Route) -> None:
    """Check that a route treats a key as one that does not exist."""
    response = await client.request(route.method, filled(route.path), key=key, json=body_of(route))
    assert response.status_code == 401
    assert response.content == b""
    assert response.headers["WWW-Authenticate"].startswith("Bearer")


@for_each("route", GUARDED, ids=str)
async def test_a_revoked_key_is_treated_as_unknown(
    client: Client, revoked_key: str, route: Route
) -> None:
    await require_unknown(client, revoked_key, route)


@pytest.fixture
async def expired_key(acme: Cast) -> str:
    """A key of Acme that expired a second ago."""
    _, key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_WRITE,
        expires_at=datetime.now(UTC) - timedelta(seconds=1),
        by=BY,
    )
    return key


@for_each("route", GUARDED, ids=str)
async def test_an_expired_key_is_treated_as_unknown(
    client: Client, expired_key: str, route: Route
) -> None:
    await require_unknown(client, expired_key, route)


async def test_a_key_works_until_it_expires(client: Client, acme: Cast) -> None:
    _, key = await keys.create_key(
        acme.db,
        acme.account_id,
        user=acme.owner,
        scope=Scope.READ_WRITE,
        expires_at=datetime.now(UTC) + timedelta(hours=1),
        by=BY,
    )
    assert (await client.get("/v1/me/", key=key)).status_code == 200


async def test_only_the_digest_and_the_prefix_of_a_key_are_stored(acme: Cast) -> None:
    async with acme.db.read() as connection:
        rows = await connection.fetch_all(
            "SELECT * FROM api_key WHERE account_id = :id", {"id": acme.account_id}
        )
        audit = await connection.fetch_all(
            "SELECT * FROM audit WHERE account_id = :id", {"id": acme.account_id}
        )
    stored = repr([list(row.values()) for row in (*rows, *audit)])
    assert len(rows) == 2
    for key in (acme.key, acme.read_only_key):
        assert key[:10] in stored
        assert key[:20] not in stored
        assert key[-10:] not in stored


async def test_the_last_use_of_a_key_is_stored_when_the_service_stops(scratch_url: str) -> None:
    async with serving(Settings(database_url=scratch_url)) as (app, client):
        cast = await make_account(client, app.state.db, "Acme")
        before = datetime.now(UTC)
        assert (await cast.get("/v1/me/")).status_code == 200
        after = datetime.now(UTC)
    async with (
        serving(Settings(database_url=scratch_url)) as (app, _),
        app.state.db.read() as connection,
    ):
        listed = await list_keys(connection, cast.account_id)
    used = {key.id: key.last_used_at for key in listed}
    moment = used.pop(cast.key_id)
    assert moment is not None
    assert before <= moment <= after
    assert list(used.values()) == [None]


async def answers_from_now_on(cast: Cast, status: int, *, seconds: float) -> None:
    """Send requests until the response has that status: for the first one sent later, at the
    latest.

    A request that a busy machine is slow to answer was sent in time.
    """
    deadline = time.monotonic() + seconds
    while True:
        is_late = time.monotonic() > deadline
        if (await cast.get("/v1/me/")).status_code == status:
            return
        assert not is_late


async def test_revoking_a_key_in_use_works_within_a_second(client: Client, acme: Cast) -> None:
    assert (await acme.get("/v1/me/")).status_code == 200
    await keys.revoke_key(acme.db, acme.account_id, acme.key_id, by=BY)
    await answers_from_now_on(acme, 401, seconds=1)
    assert (await client.get("/v1/me/", key=acme.read_only_key)).status_code == 200


async def test_deactivating_an_account_works_within_a_second(acme: Cast) -> None:
    assert (await acme.get("/v1/me/")).status_code == 200
    await accounts.set_account_active(acme.db, acme.account_id, is_active=False, by=BY)
    await answers_from_now_on(acme, 403, seconds=1)


# --- inactive accounts: an empty 403 --------------------------------------------------------------


@for_each("route", GUARDED, ids=str)
async def test_an_inactive_account_gets_an_empty_403(
    client: Client, dormant: Cast, route: Route
) -> None:
    for key in (dormant.key, dormant.read_only_key):
        response = await client.request(
            route.method, filled(route.path), key=key, json=body_of(route)
        )
        assert response.status_code == 403
        assert response.content == b""


async def test_a_reactivated_account_is_served_again(dormant: Cast) -> None:
    await accounts.set_account_active(dormant.db, dormant.account_id, is_active=True, by=BY)
    assert (await dormant.get("/v1/me/")).status_code == 200


# --- scopes ---------------------------------------------------------------------------------------


@for_each("route", WRITES, ids=str)
async def test_a_read_only_key_cannot_write(client: Client, acme: Cast, route: Route) -> None:
    response = await client.request(
        route.method, filled(route.path), key=acme.read_only_key, json=body_of(route)
    )
    message = refused(response, "read_only_key", status=403)
    assert "read-only" in message
    assert "read-write" in message


@for_each("route", READS, ids=str)
async def test_a_read_only_key_can_read_everything_that_a_read_write_key_can_read(
    client: Client, acme: Cast, trial: Cast, records: dict[str, dict[str, object]], route: Route
) -> None:
    path, cast = with_own_id(route.path, records), served_account(route, acme, trial)
    reading = await client.get(path, key=cast.read_only_key)
    writing = await client.get(path, key=cast.key)
    assert reading.status_code == writing.status_code == 200
    if route.path != "/v1/me/":
        assert reading.json() == writing.json()


@for_each("route", WRITES, ids=str)
async def test_a_refused_write_changes_nothing(
    client: Client, acme: Cast, records: dict[str, dict[str, object]], route: Route
) -> None:
    path = with_own_id(route.path, records)
    body = {
        "/v1/copies/mark-sent/": {"ids": [records["copies"]["id"]]},
        "/v1/dispatches/": {"issue": records["issues"]["id"]},
    }.get(route.path, body_of(route))
    for key in (None, altered(acme.key), acme.read_only_key):
        response = await client.request(route.method, path, key=key, json=body)
        assert response.status_code in (401, 403)
    for kind in (
        "issues",
        "subscriptions",
        "copies",
        "address-changes",
        "invoices",
        "payments",
        "webhooks",
    ):
        assert await walk(acme, f"/v1/{kind}/") == [records[kind]]
    (run,) = await walk(acme, "/v1/dispatches/")
    assert run.items() <= records["dispatches"].items()


# --- other accounts -------------------------------------------------------------------------------


def without_id(message: str, id: str) -> str:
    """A message without the id that it repeats."""
    return message.replace(id, "…")


@for_each("route", WITH_ID, ids=str)
async def test_a_foreign_an_unknown_and_a_malformed_id_get_the_same_404(
    client: Client, rival: Cast, records: dict[str, dict[str, object]], route: Route
) -> None:
    foreign = str(records[route.path.split("/")[2]]["id"])
    said = set()
    for id in (foreign, ids.new_id(rival.account_id), foreign[:-1], foreign.lower(), "1", "a-b"):
        response = await client.request(
            route.method, filled(route.path, id), key=rival.key, json=body_of(route)
        )
        said.add(without_id(refused(response, "not_found", status=404), id))
    assert len(said) == 1, said


@for_each("id", ["%00", "%FF", "%20", "caf%C3%A9", "0" * 300, "..%5C", "%27--"])
@for_each("route", WITH_ID, ids=str)
async def test_any_text_in_place_of_an_id_gets_a_404(
    client: Client, acme: Cast, route: Route, id: str
) -> None:
    response = await client.request(
        route.method, filled(route.path, id), key=acme.key, json=body_of(route)
    )
    refused(response, "not_found", status=404)


@for_each("route", WITH_ID, ids=str)
async def test_without_a_key_any_id_gets_a_401(client: Client, acme: Cast, route: Route) -> None:
    for id in (ids.new_id(acme.account_id), "0" * 31, "a-b", "1"):
        response = await client.request(route.method, filled(route.path, id), json=body_of(route))
        assert response.status_code == 401
        assert response.content == b""


async def test_the_lists_of_an_account_have_no_items_of_another(acme: Cast, rival: Cast) -> None:
    records = await records_of(rival)
    product = records.pop("products")  # each account has one for imports
    assert product in await walk(rival, "/v1/products/")
    assert product not in await walk(acme, "/v1/products/")
    for path in (f"/v1/{name}/" for name in records):
        assert await walk(acme, path) == []
        assert len(await walk(rival, path)) == 1
    assert (await acme.get("/v1/events/")).json()["items"] == []
    own = {source["id"] for source in await walk(acme, "/v1/sources/")}
    assert own == {acme.shop, acme.imported, acme.checkout, acme.inactive_source}
    issue = records["issues"]["id"]
    refused(await acme.get(f"/v1/issues/{issue}/copies/"), "not_found", status=404)
    refused(await acme.get(f"/v1/issues/{issue}/addresses/"), "not_found", status=404)


async def test_a_write_with_a_foreign_id_changes_nothing(acme: Cast, rival: Cast) -> None:
    issue = await make_issue(rival)
    subscription = await make_subscription(rival)
    copy = (await copies_of(rival, subscription["id"]))[0]
    run = await make_dispatch(rival, issue["id"])
    for action in ("mark-sent", "undo", "discard"):
        await acme.post(f"/v1/dispatches/{run['id']}/{action}/")
    await acme.post("/v1/dispatches/", {"issue": issue["id"]})
    await acme.patch(f"/v1/issues/{issue['id']}/", {"name": "Taken"})
    await acme.patch(f"/v1/subscriptions/{subscription['id']}/", {"city": "Taken"})
    await acme.post(f"/v1/subscriptions/{subscription['id']}/cancel/", {"mode": "cancel"})
    for path, body in (
        ("/v1/copies/mark-sent/", {"ids": [copy["id"]]}),
        (f"/v1/copies/{copy['id']}/mark-sent/", None),
    ):
        response = await acme.post(path, body)
        assert response.status_code == 200
        assert response.json() == {"error": False, "updated_count": 0, "items": []}
    assert await walk(rival, "/v1/issues/") == [issue]
    assert await walk(rival, "/v1/subscriptions/") == [subscription]
    assert await copies_of(rival, subscription["id"]) == [copy]
    assert (await rival.get(f"/v1/dispatches/{run['id']}/")).json() == run


# --- methods and paths ----------------------------------------------------------------------------


@for_each("route", [r for r in API if r.method == "GET"], ids=str)
async def test_head_works_for_every_route_that_supports_get(
    client: Client, acme: Cast, trial: Cast, records: dict[str, dict[str, object]], route: Route
) -> None:
    path, cast = with_own_id(route.path, records), served_account(route, acme, trial)
    got = await client.get(path, key=cast.key)
    head = await client.request("HEAD", path, key=cast.key)
    assert head.status_code == got.status_code == 200
    assert head.content == b""
    for name in ("Content-Type", "Content-Length", "Cache-Control"):
        assert head.headers.get(name) == got.headers.get(name)


@for_each("route", READS, ids=str)
async def test_head_is_refused_like_get(client: Client, dormant: Cast, route: Route) -> None:
    assert (await client.request("HEAD", filled(route.path))).status_code == 401
    response = await client.request("HEAD", filled(route.path), key=dormant.key)
    assert response.status_code == 403
    assert response.content == b""


@for_each("path", PATHS)
async def test_an_unsupported_method_gets_a_405_that_names_the_supported_ones(
    client: Client, path: str
) -> None:
    allowed = {route.method for route in API if route.path == path}
    allowed |= {"HEAD"} if "GET" in allowed else set()
    for method in {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"} - allowed:
        response = await client.request(method, filled(path))
        assert response.status_code == 405
        listed = {each.strip() for each in response.headers["Allow"].split(",")}
        assert listed == allowed
        if method != "HEAD":
            message = refused(response, "method_not_allowed", status=405)
            assert all(each in message for each in (method, *allowed))


@for_each("path", PATHS)
async def test_a_path_without_its_trailing_slash_gets_a_404_and_no_redirect(
    client: Client, acme: Cast, path: str
) -> None:
    for key in (None, acme.key):
        response = await client.get(filled(path).partition("?")[0].rstrip("/"), key=key)
        message = refused(response, "not_found", status=404)
        assert f"use `{filled(path).partition('?')[0]}`" in message
        assert "Location" not in response.headers


@for_each(
    "path",
    ["/", "/v1", "/v1/", "/v2/me/", "/v1/nothing/", "/v1/me//", "//v1/me/", "/V1/ME/", "/v1/me/x/"],
)
async def test_an_unknown_path_gets_a_404_with_or_without_a_key(
    client: Client, acme: Cast, path: str
) -> None:
    for key in (None, "junk", acme.key):
        response = await client.get(f"http://masthead.test{path}", key=key)
        refused(response, "not_found", status=404)


# --- the order of checks, each with the next one --------------------------------------------------


@pytest.mark.parametrize(
    "method, path",
    [("POST", "/v1/nothing/"), ("DELETE", "/v1/issues/"), ("POST", "/v1/issues/")],
    ids=["before the route", "before the method", "before the key"],
)
async def test_a_declared_length_over_the_limit_is_checked(
    client: Client, method: str, path: str
) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": str(OVERSIZED)}
    response = await client.request(method, path, content=b" " * OVERSIZED, headers=headers)
    refused(response, "payload_too_large", status=413)


@for_each("scope", ["read_only_key", "key"])
async def test_a_declared_length_is_checked_before_scope_and_account(
    client: Client, acme: Cast, dormant: Cast, scope: str
) -> None:
    for cast in (acme, dormant):
        response = await client.post(
            "/v1/issues/",
            key=getattr(cast, scope),
            content=b" " * OVERSIZED,
            headers={"Content-Type": "application/json"},
        )
        refused(response, "payload_too_large", status=413)


async def test_the_key_is_checked_before_a_body_without_declared_length(
    client: Client, acme: Cast, dormant: Cast
) -> None:
    headers = {"Content-Type": "application/json"}

    async def status(key: str | None) -> int:
        response = await client.post(
            "/v1/issues/", key=key, content=chunks(OVERSIZED), headers=headers
        )
        return response.status_code

    assert await status(None) == 401
    assert await status(dormant.key) == 403
    assert await status(acme.read_only_key) == 403
    assert await status(acme.key) == 413


async def test_the_key_is_checked_before_the_account(client: Client, dormant: Cast) -> None:
    response = await client.get("/v1/me/", key=altered(dormant.key))
    assert response.status_code == 401


@for_each("route", WRITES, ids=str)
async def test_the_account_is_checked_before_the_scope(
    client: Client, dormant: Cast, route: Route
) -> None:
    response = await client.request(
        route.method, filled(route.path), key=dormant.read_only_key, json=body_of(route)
    )
    assert response.status_code == 403
    assert response.content == b""


@for_each("route", WRITES, ids=str)
async def test_the_scope_is_checked_before_query_and_body(
    client: Client, acme: Cast, route: Route
) -> None:
    response = await client.request(
        route.method,
        filled(route.path) + "?nonsense=1",
        key=acme.read_only_key,
        content=b"{",
        headers={"Content-Type": "text/plain"},
    )
    refused(response, "read_only_key", status=403)


@for_each("route", GUARDED, ids=str)
async def test_key_and_account_are_checked_before_query_and_body(
    client: Client, dormant: Cast, route: Route
) -> None:
    path = filled(route.path) + "?nonsense=1"
    content = None if route.method == "GET" else b"{"
    response = await client.request(route.method, path, content=content)
    assert response.status_code == 401
    response = await client.request(route.method, path, key=dormant.key, content=content)
    assert response.status_code == 403
    assert response.content == b""


@for_each("route", [r for r in WRITES if "{id}" in r.path], ids=str)
async def test_the_body_is_checked_before_the_resource(acme: Cast, route: Route) -> None:
    response = await acme.client.request(
        route.method, filled(route.path), key=acme.key, json={"nonsense": 1}
    )
    refused(response, "unknown_field")


@for_each("route", [r for r in READS if "{id}" in r.path], ids=str)
async def test_the_query_is_checked_before_the_resource(acme: Cast, route: Route) -> None:
    refused(await acme.get(filled(route.path), nonsense=1), "unknown_parameter")


async def test_the_body_is_checked_before_the_state_of_the_data(acme: Cast) -> None:
    await make_issue(acme, number=1)
    response = await acme.post("/v1/issues/", {"number": 1, "release_date_actual": "soon"})
    refused(response, "validation_error")
    refused(await acme.post("/v1/issues/", {"number": 1, "colour": "red"}), "unknown_field")


async def test_the_resource_is_checked_before_its_state(acme: Cast, rival: Cast) -> None:
    await make_issue(rival)
    foreign = await make_subscription(rival)
    path = f"/v1/subscriptions/{foreign['id']}/cancel/"
    refused(await acme.post(path, {"mode": "stop_renewals"}), "not_found", status=404)
    refused(await rival.post(path, {"mode": "stop_renewals"}), "not_recurring")


@for_each("route", GUARDED, ids=str)
async def test_the_route_is_checked_before_the_key(client: Client, route: Route) -> None:
    response = await client.request("DELETE", filled(route.path))
    refused(response, "method_not_allowed", status=405)
    response = await client.request(route.method, filled(f"{route.path}nothing/more/"))
    refused(response, "not_found", status=404)
