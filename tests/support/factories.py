"""Create records for tests, by the API or the importer, as a publisher does."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, Final

import httpx

from masthead.model.orders.order import OrderDefaults
from tests.conftest import BY, Cast
from tests.support import order_lines as imports
from tests.support.walk import walk


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"  # the same in every process, for the names of tests


ABSENT: Final = _Absent()
"""A field given as ABSENT is left out of a body."""

PLACEHOLDER_DOMAIN = "placeholder.example"

_numbers = itertools.count(1)


def fresh_order_id() -> str:
    """An order id that is unique in this session; letters and digits only."""
    return f"ORDER{next(_numbers):06}X"


def made(response: httpx.Response) -> dict[str, Any]:
    """Check that a request succeeded; return the record that it created."""
    assert response.status_code in (200, 201), response.text
    body: dict[str, Any] = response.json()
    return body


async def make_issue(cast: Cast, number: int = 1, **fields: object) -> dict[str, Any]:
    """Create an issue."""
    return made(await cast.post("/v1/issues/", {"number": number, **fields}))


async def make_issues(cast: Cast, first: int, last: int) -> list[dict[str, Any]]:
    """Create the issues numbered `first` to `last`, both included."""
    return [await make_issue(cast, number) for number in range(first, last + 1)]


def manual(cast: Cast, **fields: object) -> dict[str, Any]:
    """A valid body of POST /v1/subscriptions/ with the given fields changed."""
    body: dict[str, Any] = {
        "source": cast.shop,
        "start_issue": 1,
        "length": 4,
        "first_name": "Ada",
        "country": "DE",
        "order_id": fresh_order_id(),
        "order_date": "2026-01-15",
        "price": "42.00",
        **fields,
    }
    return {name: value for name, value in body.items() if value is not ABSENT}


async def make_subscription(cast: Cast, **fields: object) -> dict[str, Any]:
    """Create a manual subscription; its first issue must exist."""
    return made(await cast.post("/v1/subscriptions/", manual(cast, **fields)))


async def import_row(cast: Cast, **columns: str) -> dict[str, Any]:
    """Import one CSV row; the subscription that it created or, with `renews`, renewed."""
    [order_id] = await import_rows(cast, columns)
    return await by_order_id(cast, order_id)


async def import_rows(cast: Cast, *rows: Mapping[str, str], **options: Any) -> list[str]:
    """Import CSV rows in one transaction; their order ids."""
    cells = [
        {
            "order_id": fresh_order_id(),
            "first_name": "Ada",
            "country": "DE",
            "order_date": "2026-01-15",
            "price": "42.00",
            **columns,
        }
        for columns in rows
    ]
    summary, rejects = await import_cells(cast, cells, **options)
    assert summary.imported == len(rows), rejects or summary
    return [each["order_id"] for each in cells]


async def import_cells(
    cast: Cast, rows: Iterable[Mapping[str, str]], **options: Any
) -> tuple[imports.Summary, list[imports.Reject]]:
    """Import rows together; what became of them, and those that were refused."""
    lines = [imports.OrderLine(number, cells) for number, cells in enumerate(rows, 2)]
    how, rejects = import_options(cast, **options), list[imports.Reject]()
    return await imports.import_lines(cast.db, lines, how, on_reject=rejects.append), rejects


def import_options(cast: Cast, **options: Any) -> imports.Import:
    """The options of an import into an account."""
    defaults = OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN)
    return imports.Import(cast.account_id, cast.imported, defaults, BY, **options)


async def by_order_id(cast: Cast, order_id: str) -> dict[str, Any]:
    """The one subscription with this order.

    A search alone is not enough: a short order id may also be part of a random id, which is part
    of the placeholder email of a subscriber without one.
    """
    found = [
        subscription
        for subscription in await walk(cast, "/v1/subscriptions/", limit=200, search=order_id)
        if order_id in (period["order_id"] for period in subscription["periods"])
    ]
    assert len(found) == 1, found
    return found[0]


async def make_membership(cast: Cast, **columns: str) -> dict[str, Any]:
    """Import a membership; by default for the year 2099, so it does not end during a test."""
    row = {
        "type": "membership",
        "interval_months": "12",
        "period_start": "2099-01-01",
        "period_end": "2099-12-31",
        **columns,
    }
    return await import_row(cast, **row)


async def copies_of(cast: Cast, subscription_id: str) -> list[dict[str, Any]]:
    """All copies of a subscription, in the order of their ids."""
    copies = await walk(cast, "/v1/copies/", limit=200, subscription=subscription_id)
    return sorted(copies, key=lambda copy: int(copy["id"]))


async def make_dispatch(cast: Cast, issue_id: str, **fields: object) -> dict[str, Any]:
    """Freeze a dispatch run of the free copies of an issue."""
    return made(await cast.post("/v1/dispatches/", {"issue": issue_id, **fields}))


async def make_delivery_report(cast: Cast, subscription_id: str) -> dict[str, Any]:
    """Report the first copy of a subscription as undeliverable."""
    (copy, *_) = await copies_of(cast, subscription_id)
    reports = [{"copy": copy["id"], "kind": "undeliverable"}]
    (result,) = made(await cast.post("/v1/delivery-reports/", {"reports": reports}))["items"]
    found = await walk(cast, "/v1/delivery-reports/")
    return next(each for each in found if each["id"] == result["id"])


async def make_claim(cast: Cast, subscription: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Mark the first copy of a subscription as sent, and claim it."""
    copy, *_ = await copies_of(cast, subscription["id"])
    await cast.post(f"/v1/copies/{copy['id']}/mark-sent/")
    body = {"copy": copy["id"], "reason": "never_arrived", **fields}
    return made(await cast.post("/v1/claims/", body))


async def plan_address(
    cast: Cast, subscription_id: str, first_issue: int, **fields: object
) -> dict[str, Any]:
    """Plan another address of a subscription from an issue on."""
    body = {
        "subscriptions": [subscription_id],
        "first_issue": first_issue,
        "address1": "2 Oak Road",
        "city": "Ulm",
        "country": "DE",
        **fields,
    }
    (change,) = made(await cast.post("/v1/address-changes/", body))["items"]
    return dict(change)
