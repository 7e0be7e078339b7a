"""GET /v1/subscriptions/: `type`, several values of `status`, and `next_charge_before`."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.conftest import Cast
from tests.support.expect import refused
from tests.support.factories import import_row, make_issue, make_membership
from tests.support.walk import walk

PATH = "/v1/subscriptions/"
Item = dict[str, Any]
Matches = Callable[[Item], bool]


async def population(cast: Cast) -> list[Item]:
    """Subscriptions and memberships in each status, recurring or not; newest first."""
    await make_issue(cast)
    await make_issue(cast, 2, recurring_charge_date="2099-02-01")
    await make_issue(cast, 3)
    month = {"interval_months": "1", "period_start": "2099-01-01", "period_end": "2099-01-31"}
    row = {"start_issue": "1", "is_recurring": "true"}
    for country in ("DE", "FR"):
        for status in ("Active", "Active - Renewals stopped", "Cancelled"):
            await import_row(cast, **row, length="1", status=status, country=country)
            await make_membership(cast, **month, is_recurring="true", status=status)
        await import_row(cast, start_issue="1", length="1", country=country)
        await import_row(cast, **row, length="2", country=country)  # with no date of a charge
        await make_membership(cast, **month, country=country)
        ended = {**month, "period_end": "2026-01-31", "period_start": "2026-01-01"}
        await make_membership(cast, **ended, is_recurring="true", status="Past due")
    # of a renewed one, only the last period counts
    past_due = next(each for each in await walk(cast, PATH) if each["status"] == "Past due")
    await import_row(cast, **month, renews=past_due["periods"][0]["order_id"])
    return await walk(cast, PATH, limit=200)


def is_due(day: str) -> Matches:
    """Whether a subscription is to be charged before a day."""
    return lambda each: each["next_charge_date"] is not None and each["next_charge_date"] < day


def has(**values: str) -> Matches:
    """Whether fields have one of the values, separated by commas."""
    return lambda each: all(
        str(each.get(name, each["shipping_address"].get(name))) in value.split(",")
        for name, value in values.items()
    )


STATUSES = "Past due,Active", "Cancelled,Active - Renewals stopped", "Complete,Cancelled"
QUERIES: list[tuple[dict[str, str], Matches]] = [
    *(({"type": kind}, has(type=kind)) for kind in ("subscription", "membership")),
    *(({"status": status}, has(status=status)) for status in STATUSES),
    ({"status": "Active,Active"}, has(status="Active")),
    *(({"next_charge_before": day}, is_due(day)) for day in ("1900-01-01", "9999-12-31")),
    *(
        ({"next_charge_before": day}, is_due(day))
        for day in ("2026-02-01", "2026-02-02", "2099-02-01", "2099-02-02")
    ),
]
TWICE = [
    ({**first, **second}, lambda each, one=one, two=two: one(each) and two(each))
    for place, (first, one) in enumerate(QUERIES)
    for second, two in QUERIES[place + 1 :]
    if first.keys() != second.keys()
]


@pytest.mark.parametrize("search", ["", "ada"], ids=["listed", "searched"])
async def test_the_filters_find_what_the_items_say(acme: Cast, search: str) -> None:
    items = await population(acme)
    assert len({(each["type"], each["status"], each["is_recurring"]) for each in items}) == 9
    assert sum(map(is_due("9999-12-31"), items)) == 6
    others: list[tuple[dict[str, str], Matches]] = [
        *(({**query, "country": "FR"}, matches) for query, matches in QUERIES),
        *(({**query, "subscriber": items[0]["subscriber"]["id"]}, m) for query, m in QUERIES),
    ]
    for query, matches in [*QUERIES, *TWICE, *others]:
        expected = [
            each["id"]
            for each in items
            if matches(each)
            and query.get("country", "FR") in ("FR", each["shipping_address"]["country"])
            and ("country" not in query or each["shipping_address"]["country"] == "FR")
            and query.get("subscriber", each["subscriber"]["id"]) == each["subscriber"]["id"]
        ]
        terms = {"search": search} if search else {}
        found = await walk(acme, PATH, limit=5, **query, **terms)
        assert [each["id"] for each in found] == expected, query


async def test_other_forms_of_several_values_are_refused_with_the_right_one(acme: Cast) -> None:
    for query in ("Active,", ",Active", "Active, Past due", "Active;Past due", "Active,active"):
        message = refused(await acme.get(PATH, status=query), "validation_error")
        assert message.startswith("`status` is ")
        assert "Separate several values with commas, without blanks." in message
    twice = await acme.get(f"{PATH}?status=Active&status=Cancelled")
    message = refused(twice, "validation_error")
    assert "`status` appears more than once; send it once. Separate several values" in message


async def test_the_order_of_values_does_not_matter_to_a_cursor(acme: Cast) -> None:
    await population(acme)
    cursor = (await acme.get(PATH, status="Active,Past due", limit=1)).json()["cursor"]
    again = await acme.get(PATH, status="Past due,Active", limit=1, cursor=cursor)
    assert again.status_code == 200
    other = await acme.get(PATH, status="Active", limit=1, cursor=cursor)
    refused(other, "invalid_cursor")
