"""Renewal rates: who ended with an issue, and who renewed within three issues."""

from datetime import date
from typing import Any

import pytest

from masthead.model.pagination import PageRequest
from masthead.model.renewals.rates import (
    EndedQuery,
    IssueRate,
    RateQuery,
    RenewalRate,
    Renewed,
    by_issue,
    total_of,
)
from masthead.model.types.enums import Medium
from masthead.store.renewals import rates as store
from tests.conftest import Cast
from tests.support.days import count_trend
from tests.support.factories import import_row, make_issue, make_membership, make_subscription

TODAY = date(2026, 6, 15)


async def issues(cast: Cast) -> None:
    """Issue n comes out on the first day of month n; the current one is 6."""
    for number in range(1, 9):
        await make_issue(cast, number, release_date_actual=f"2026-{number:02}-01")


async def count(cast: Cast) -> list[IssueRate]:
    await count_trend(cast, TODAY)
    return by_issue(await store.list_rates(cast.db, cast.account_id), RateQuery(), current=6)


async def figures(cast: Cast) -> dict[int, tuple[int, int, int, int]]:
    return {
        row.issue_number: (row.ended, row.within_1, row.within_2, row.within_3)
        for row in await count(cast)
    }


async def listed(cast: Cast, issue: int, renewed: str | None = None, **filters: Any) -> list[str]:
    query = EndedQuery(issue=issue, renewed=Renewed(renewed) if renewed else None, **filters)
    async with cast.db.read(aside=True) as db:
        page = await store.list_ended(
            db, cast.account_id, query, PageRequest(limit=50, after=None, binding=b"")
        )
    return [each.subscription_id for each in page.items]


@pytest.mark.parametrize(
    "order_date, within",
    [
        ("2026-01-20", (1, 1, 1)),  # before the last issue came out
        ("2026-02-28", (1, 1, 1)),  # issue 3 comes out on the next day
        ("2026-03-01", (0, 1, 1)),
        ("2026-04-30", (0, 0, 1)),
        ("2026-05-01", (0, 0, 0)),
    ],
)
@pytest.mark.parametrize("how", ["renewal", "new subscription"])
async def test_a_renewal_counts_by_the_day_of_its_order(
    acme: Cast, rival: Cast, how: str, order_date: str, within: tuple[int, int, int]
) -> None:
    for cast in (acme, rival):
        await issues(cast)
    subscriber = {"email": "ada@example.test", "start_issue": "1", "length": "2"}
    first = await import_row(acme, **subscriber, order_id="FIRST-ORDER")
    again = {"order_date": order_date, "email": "ada@example.test"}
    if how == "renewal":
        await import_row(acme, **again, renews="FIRST-ORDER", start_issue="", length="")
    else:
        await import_row(acme, **again, start_issue="5", length="4")
    await import_row(rival, start_issue="1", length="2")
    found = await figures(acme)
    assert found[2] == (1, *within)
    for renewed, is_listed in zip("123", within, strict=True):
        assert await listed(acme, 2, renewed) == [first["id"]] * is_listed
    assert await listed(acme, 2, "no") == [first["id"]] * (1 - within[2])
    assert await listed(acme, 2) == [first["id"]]


async def test_an_issue_without_a_date_has_not_come_out(acme: Cast) -> None:
    for number in (1, 2):
        await make_issue(acme, number, date_as_start_issue="2026-01-01")
    await import_row(acme, start_issue="1", length="1", order_id="FIRST-ORDER")
    await make_issue(acme, 3)
    await import_row(acme, renews="FIRST-ORDER", start_issue="", length="", order_date="2026-06-01")
    assert (await figures(acme))[1] == (1, 0, 1, 1)  # after issue 2, and issue 3 has no date


async def test_each_period_counts_with_its_last_issue(acme: Cast) -> None:
    await issues(acme)
    await import_row(acme, start_issue="1", length="2", order_id="FIRST-ORDER")
    for number in (1, 2):
        await import_row(
            acme,
            renews="FIRST-ORDER",
            order_id=f"RENEWAL-{number}",
            start_issue="",
            length="",
            order_date="2026-01-20",
        )
    assert await figures(acme) == {2: (1, 1, 1, 1), 4: (1, 1, 1, 1), 6: (1, 0, 0, 0)}


async def test_what_is_free_or_cancelled_or_to_come_is_left_out(acme: Cast) -> None:
    await issues(acme)
    await make_subscription(acme, length=2, is_comp=True, price="0")
    cancelled = await make_subscription(acme, length=2)
    await acme.post(f"/v1/subscriptions/{cancelled['id']}/cancel/", {"mode": "cancel"})
    await make_subscription(acme, length=7)
    assert await figures(acme) == {}
    await import_row(acme, start_issue="1", length="2", order_id="FIRST-ORDER")
    renewed = await import_row(
        acme, renews="FIRST-ORDER", start_issue="", length="", order_date="2026-01-20"
    )
    await acme.post(f"/v1/subscriptions/{renewed['id']}/cancel/", {"mode": "cancel"})
    assert await figures(acme) == {2: (1, 1, 1, 1)}  # cancelled after its renewal


async def test_a_membership_renews_a_subscription(acme: Cast) -> None:
    await issues(acme)
    await make_subscription(acme, length=2, email="ada@example.test")
    await make_membership(acme, email="ada@example.test", order_date="2026-02-01")
    assert (await figures(acme))[2] == (1, 1, 1, 1)


async def test_figures_are_split_by_medium_and_source(acme: Cast) -> None:
    await issues(acme)
    digital = await make_subscription(acme, length=2, medium="Digital")
    imported = await import_row(acme, start_issue="1", length="2")
    await count(acme)
    rows = await store.list_rates(acme.db, acme.account_id)
    for filters, wanted in (
        ({}, {digital["id"], imported["id"]}),
        ({"medium": Medium.DIGITAL}, {digital["id"]}),
        ({"source": acme.imported}, {imported["id"]}),
        ({"medium": Medium.DIGITAL, "source": acme.imported}, set()),
    ):
        [total, *_] = [
            *by_issue(rows, RateQuery(**filters), current=6),
            IssueRate(2, 0, 0, 0, 0, is_final=True),
        ]
        assert total.ended == len(wanted)
        assert set(await listed(acme, 2, "no", **filters)) == wanted


async def test_the_figures_are_counted_anew(acme: Cast) -> None:
    assert await store.find_counted_at(acme.db, acme.account_id) is None
    await issues(acme)
    assert await figures(acme) == {}
    assert await store.find_counted_at(acme.db, acme.account_id) is not None
    await make_subscription(acme, length=2)
    for _ in range(2):
        assert await figures(acme) == {2: (1, 0, 0, 0)}


def test_the_total_has_the_final_issues() -> None:
    rows = by_issue(
        [RenewalRate(number, "Print", "S", 10, 2, 3, 4) for number in (3, 4)],
        RateQuery(),
        current=6,
    )
    assert [(row.issue_number, row.is_final) for row in rows] == [(4, False), (3, True)]
    total = total_of(rows)
    assert (total.ended, total.within_3, total.not_renewed) == (10, 4, 6)
    assert (total.share(total.within_1), total_of([]).share(0)) == (0.2, 0.0)
