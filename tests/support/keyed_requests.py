"""A request with an idempotency key for each operation of the API that writes."""

import secrets
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import msgspec

from masthead.store.moments import get_daily_date
from tests.conftest import Cast
from tests.support.become_sandbox import become_sandbox
from tests.support.billing import bill_one, turn_on_billing
from tests.support.factories import (
    copies_of,
    make_claim,
    make_delivery_report,
    make_dispatch,
    make_issue,
    make_subscription,
    manual,
)

Request = tuple[str, Any]  # a path, and a body that is accepted once
PUBLIC_URL = "https://93.184.215.14/hook"  # of a webhook; once that of example.com


def new_key() -> str:
    """A key that no other test uses."""
    return secrets.token_hex(16)


async def send(
    cast: Cast, method: str, path: str, body: object, key: str | None, **headers: str
) -> httpx.Response:
    """Send a request with a key; body: as JSON, or its bytes."""
    content = body if isinstance(body, bytes) else msgspec.json.encode(body)
    sent = {"Content-Type": "application/json", **headers}
    if key is not None:
        sent["Idempotency-Key"] = key
    return await cast.client.request(method, path, key=cast.key, content=content, headers=sent)


async def _subscription(cast: Cast, **fields: object) -> dict[str, Any]:
    await make_issue(cast)
    return await make_subscription(cast, **fields)


async def _create_subscription(cast: Cast) -> Request:
    await make_issue(cast)
    return "/v1/subscriptions/", manual(cast)


async def _update_subscription(cast: Cast) -> Request:
    return f"/v1/subscriptions/{(await _subscription(cast))['id']}/", {"notes": "Rings twice"}


async def _cancel(cast: Cast) -> Request:
    return f"/v1/subscriptions/{(await _subscription(cast))['id']}/cancel/", {"mode": "cancel"}


async def _renew(cast: Cast) -> Request:
    body = {"source": cast.shop, "order_id": "R-1", "order_date": "2026-06-01", "price": "5"}
    return f"/v1/subscriptions/{(await _subscription(cast))['id']}/renewals/", body


async def _update_subscriber(cast: Cast) -> Request:
    id = (await _subscription(cast))["subscriber"]["id"]
    return f"/v1/subscribers/{id}/", {"last_name": "King"}


async def _create_issue(cast: Cast) -> Request:
    return "/v1/issues/", {"number": 99}


async def _update_issue(cast: Cast) -> Request:
    return f"/v1/issues/{(await make_issue(cast))['id']}/", {"name": "Spring"}


async def _copy_id(cast: Cast) -> int:
    (copy, *_) = await copies_of(cast, (await _subscription(cast))["id"])
    return int(copy["id"])


async def _mark_copies(cast: Cast) -> Request:
    return "/v1/copies/mark-sent/", {"ids": [await _copy_id(cast)]}


async def _mark_copy(cast: Cast) -> Request:
    return f"/v1/copies/{await _copy_id(cast)}/mark-sent/", {"date": "2026-05-03"}


async def _freeze(cast: Cast) -> Request:
    issue = await make_issue(cast)
    await make_subscription(cast)
    return "/v1/dispatches/", {"issue": issue["id"]}


async def _run(cast: Cast) -> str:
    _, body = await _freeze(cast)
    return f"/v1/dispatches/{(await make_dispatch(cast, body['issue']))['id']}/"


async def _mark_run(cast: Cast) -> Request:
    return f"{await _run(cast)}mark-sent/", {"date": "2026-05-03"}


async def _undo_run(cast: Cast) -> Request:
    run = await _run(cast)
    await cast.post(f"{run}mark-sent/")
    return f"{run}undo/", {}


async def _discard_run(cast: Cast) -> Request:
    return f"{await _run(cast)}discard/", {}


async def _report(cast: Cast) -> Request:
    kinds = ("undeliverable", "shipped")  # they are written one after the other
    ids = [await _copy_id(cast)]
    (copy, *_) = await copies_of(cast, (await make_subscription(cast, email="b@b.test"))["id"])
    reports = [
        {"copy": id, "kind": kind} for id, kind in zip([*ids, copy["id"]], kinds, strict=True)
    ]
    return "/v1/delivery-reports/", {"reports": reports}


async def _accept_report(cast: Cast) -> Request:
    moved = {"kind": "moved", "address1": "2 Oak Road", "city": "Ulm"}
    reports = [{"copy": await _copy_id(cast), **moved}]
    answer = await cast.post("/v1/delivery-reports/", {"reports": reports})
    return f"/v1/delivery-reports/{answer.json()['items'][0]['id']}/accept/", {}


async def _dismiss_report(cast: Cast) -> Request:
    report = await make_delivery_report(cast, (await _subscription(cast))["id"])
    return f"/v1/delivery-reports/{report['id']}/dismiss/", {}


async def _claim(cast: Cast) -> Request:
    id = await _copy_id(cast)
    await cast.post(f"/v1/copies/{id}/mark-sent/")
    return "/v1/claims/", {"copy": id, "reason": "never_arrived"}


async def _close_claim(cast: Cast) -> Request:
    claim = await make_claim(cast, await _subscription(cast))
    return f"/v1/claims/{claim['id']}/close/", {}


async def _webhook(_: Cast) -> Request:
    return "/v1/webhooks/", {"url": PUBLIC_URL}


async def _webhook_path(cast: Cast) -> str:
    made = await cast.post(*await _webhook(cast))
    return f"/v1/webhooks/{made.json()['id']}/"


async def _update_webhook(cast: Cast) -> Request:
    return await _webhook_path(cast), {"status": "disabled"}


async def _rotate_webhook(cast: Cast) -> Request:
    return f"{await _webhook_path(cast)}rotate/", {}


async def _test_webhook(cast: Cast) -> Request:
    return f"{await _webhook_path(cast)}test/", {}


async def _delete_webhook(cast: Cast) -> Request:
    return f"{await _webhook_path(cast)}delete/", {}


async def _resend(cast: Cast) -> Request:
    await make_issue(cast)
    event = (await cast.get("/v1/events/")).json()["items"][0]
    return f"{await _webhook_path(cast)}resend/", {"first": event["id"]}


async def _order(cast: Cast) -> Request:
    await make_issue(cast)
    return "/v1/orders/", manual(cast, is_gift=True, gifter_email="g@g.test", gifter_company="G")


async def _orders(cast: Cast) -> Request:
    await make_issue(cast)
    return "/v1/orders/bulk/", {"orders": [manual(cast), manual(cast)]}


async def _terms(cast: Cast) -> Request:
    return f"/v1/subscriptions/{(await _subscription(cast))['id']}/terms/", {"length": 6}


async def _reopen(cast: Cast) -> Request:
    path, body = await _cancel(cast)
    await cast.post(path, body)
    return path.replace("/cancel/", "/reopen/"), {}


async def _refund(cast: Cast) -> Request:
    made = await _subscription(cast, order_id="R-2")
    return f"/v1/subscriptions/{made['id']}/refunds/", {"order_id": "R-2", "amount": "1"}


async def _move(cast: Cast) -> Request:
    made = await _subscription(cast)
    other = await make_subscription(cast, email="new@x.test")
    body = {"subscriber": other["subscriber"]["id"], "takes_address": False}
    return f"/v1/subscriptions/{made['id']}/move/", body


async def _price(cast: Cast) -> Request:
    made = await _subscription(cast, order_id="R-3")
    return f"/v1/subscriptions/{made['id']}/price/", {"order_id": "R-3", "price": "1"}


async def _plan_address(cast: Cast) -> Request:
    made = await _subscription(cast)
    body = {"subscriptions": [made["id"]], "first_issue": 1, "address1": "2 Oak Road"}
    return "/v1/address-changes/", {**body, "city": "Ulm", "country": "DE"}


async def _cancel_address(cast: Cast) -> Request:
    path, body = await _plan_address(cast)
    planned = (await cast.post(path, body)).json()["items"][0]
    return f"{path}{planned['id']}/cancel/", {}


async def _credit(cast: Cast) -> Request:
    await turn_on_billing(cast)
    return f"/v1/invoices/{(await bill_one(cast)).id}/credit/", {"reason": "Moved"}


async def _payment(cast: Cast) -> Request:
    await turn_on_billing(cast)
    number = (await bill_one(cast)).document.number
    return "/v1/payments/", {"amount": "60", "invoices": [{"number": number}]}


async def _undo_payment(cast: Cast) -> Request:
    paid = (await cast.post(*await _payment(cast))).json()
    return f"/v1/payments/{paid['id']}/undo/", {}


async def _move_clock(cast: Cast) -> Request:
    await become_sandbox(cast)
    tomorrow = await get_daily_date(cast.db, cast.account_id) + timedelta(days=1)
    return "/v1/sandbox/clock/", {"to": f"{tomorrow}"}


async def _reset_sandbox(cast: Cast) -> Request:
    await become_sandbox(cast)
    return "/v1/sandbox/reset/", {}


REQUESTS: dict[str, Callable[[Cast], Awaitable[Request]]] = {
    "POST /v1/subscriptions/": _create_subscription,
    "PATCH /v1/subscriptions/{id}/": _update_subscription,
    "POST /v1/subscriptions/{id}/cancel/": _cancel,
    "PATCH /v1/subscribers/{id}/": _update_subscriber,
    "POST /v1/subscriptions/{id}/renewals/": _renew,
    "POST /v1/issues/": _create_issue,
    "PATCH /v1/issues/{id}/": _update_issue,
    "POST /v1/copies/mark-sent/": _mark_copies,
    "POST /v1/copies/{copy_id}/mark-sent/": _mark_copy,
    "POST /v1/dispatches/": _freeze,
    "POST /v1/dispatches/{id}/mark-sent/": _mark_run,
    "POST /v1/dispatches/{id}/undo/": _undo_run,
    "POST /v1/dispatches/{id}/discard/": _discard_run,
    "POST /v1/delivery-reports/": _report,
    "POST /v1/delivery-reports/{id}/accept/": _accept_report,
    "POST /v1/delivery-reports/{id}/dismiss/": _dismiss_report,
    "POST /v1/claims/": _claim,
    "POST /v1/claims/{id}/close/": _close_claim,
    "POST /v1/webhooks/": _webhook,
    "PATCH /v1/webhooks/{id}/": _update_webhook,
    "POST /v1/webhooks/{id}/rotate/": _rotate_webhook,
    "POST /v1/webhooks/{id}/test/": _test_webhook,
    "POST /v1/webhooks/{id}/resend/": _resend,
    "POST /v1/webhooks/{id}/delete/": _delete_webhook,
    "POST /v1/invoices/{id}/credit/": _credit,
    "POST /v1/payments/": _payment,
    "POST /v1/payments/{id}/undo/": _undo_payment,
    "POST /v1/orders/": _order,
    "POST /v1/orders/bulk/": _orders,
    "POST /v1/subscriptions/{id}/terms/": _terms,
    "POST /v1/subscriptions/{id}/reopen/": _reopen,
    "POST /v1/subscriptions/{id}/move/": _move,
    "POST /v1/subscriptions/{id}/price/": _price,
    "POST /v1/subscriptions/{id}/refunds/": _refund,
    "POST /v1/address-changes/": _plan_address,
    "POST /v1/address-changes/{id}/cancel/": _cancel_address,
    "POST /v1/sandbox/clock/": _move_clock,
    "POST /v1/sandbox/reset/": _reset_sandbox,
}
"""Makes what an operation needs, and returns its request, for each operation that writes."""
