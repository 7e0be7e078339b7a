"""The races of dispatch runs: two workers freeze, mark and undo at once, beside other writes.

Each has two writes of which the lock on the account lets one begin after the other.
"""

import asyncio
from collections.abc import Awaitable
from datetime import date
from typing import Any

from masthead.model.dispatch.runs import Dispatch, DispatchLine, DispatchSelection, DispatchStatus
from masthead.model.errors import Invalid
from masthead.services.dispatch import runs
from masthead.store.dispatch import lines, runs as store
from tests.conftest import BY, Cast
from tests.support.factories import copies_of, make_issue, make_subscription, manual

DAY = date(2026, 5, 3)
EVERYTHING = DispatchSelection()


async def outcomes(*writes: Awaitable[Any], refused: set[str]) -> list[Any]:
    """The results of concurrent writes that succeed; the others get one of the known errors."""
    found = await asyncio.gather(*writes, return_exceptions=True)
    errors = [each for each in found if isinstance(each, BaseException)]
    for error in errors:
        assert isinstance(error, Invalid), repr(error)
        assert error.code in refused, error
    return [each for each in found if not isinstance(each, BaseException)]


def freeze(cast: Cast, issue: dict[str, Any]) -> Awaitable[Dispatch]:
    return runs.freeze_dispatch(cast.db, cast.account_id, issue["id"], EVERYTHING, by=BY)


def mark(cast: Cast, run: Dispatch, day: date = DAY) -> Awaitable[tuple[Dispatch, int, int]]:
    return runs.mark_dispatch(cast.db, cast.account_id, run.id, day, by=BY)


def undo(cast: Cast, run: Dispatch) -> Awaitable[tuple[Dispatch, int]]:
    return runs.undo_dispatch(cast.db, cast.account_id, run.id, by=BY)


async def create(cast: Cast, number: int) -> None:
    """Create a subscription that gets the issue."""
    answer = await cast.post("/v1/subscriptions/", manual(cast, start_issue=number, length=1))
    assert answer.is_success, answer.text


async def open_issue(
    cast: Cast, number: int, subscribers: int = 3
) -> tuple[dict[str, Any], list[str]]:
    """An issue with a copy for some subscribers; also the ids of their subscriptions."""
    issue = await make_issue(cast, number)
    fields = {"start_issue": number, "length": 1, "city": "Bonn"}
    made = [await make_subscription(cast, **fields) for _ in range(subscribers)]
    return issue, [each["id"] for each in made]


async def lines_of(cast: Cast, *found: Dispatch) -> list[DispatchLine]:
    """The lines of runs."""
    return [
        line
        for run in found
        for line in await lines.list_lines(cast.db, cast.account_id, run.id, after=0, limit=99)
    ]


async def two_freezes(one: Cast, two: Cast, number: int) -> None:
    """One of several runs takes all copies, each once."""
    issue, _ = await open_issue(one, number)
    made = await outcomes(
        *(freeze(cast, issue) for cast in (one, two, one, two)), refused={"nothing_to_send"}
    )
    [run] = made
    taken = [line.copy_id for line in await lines_of(one, run)]
    assert (run.number, len(taken), len(set(taken))) == (1, 3, 3)


async def freeze_against_orders(one: Cast, two: Cast, number: int) -> None:
    """A copy that is created meanwhile is in the run or in the next one, not in both."""
    issue, _ = await open_issue(one, number)
    made = await outcomes(
        freeze(one, issue),
        create(two, number),
        freeze(two, issue),
        create(one, number),
        refused={"nothing_to_send"},
    )
    frozen = [each for each in made if each is not None]
    frozen += await outcomes(freeze(one, issue), refused={"nothing_to_send"})
    taken = [line.copy_id for line in await lines_of(one, *frozen)]
    assert len(taken) == len(set(taken)) == 5
    assert sorted(run.number for run in frozen) == list(range(1, len(frozen) + 1))


async def mark_twice(one: Cast, two: Cast, number: int) -> None:
    """A run is marked once; its copies have the date of that."""
    issue, subscriptions = await open_issue(one, number)
    run = await freeze(one, issue)
    days = [date(2026, 5, 3), date(2026, 5, 4)]
    made = await outcomes(
        mark(one, run, days[0]), mark(two, run, days[1]), refused={"already_marked"}
    )
    [(marked, count, _completed)] = made
    assert count == 3
    for id in subscriptions:
        [copy] = await copies_of(one, id)
        assert (copy["status"], copy["date_sent"]) == ("Sent", str(marked.date_sent))


async def mark_against_undo(one: Cast, two: Cast, number: int) -> None:
    """The copies are Sent if the run is marked, and unsent if it is frozen."""
    issue, subscriptions = await open_issue(one, number)
    run = await freeze(one, issue)
    made = await outcomes(
        mark(one, run), undo(two, run), mark(two, run), refused={"already_marked", "not_marked"}
    )
    assert {count for _run, count, *_completed in made} == {3}
    after = await store.get_dispatch(one.db, one.account_id, run.id)
    status = "Sent" if after.status is DispatchStatus.MARKED else "Not sent"
    for id in subscriptions:
        [copy] = await copies_of(one, id)
        assert copy["status"] == status


async def mark_against_cancel(one: Cast, two: Cast, number: int) -> None:
    """A copy is Sent with its run, or Cancelled and out of it."""
    issue, subscriptions = await open_issue(one, number)
    run = await freeze(one, issue)
    cancelling = two.post(f"/v1/subscriptions/{subscriptions[0]}/cancel/", {"mode": "cancel"})
    made, cancelled = await asyncio.gather(
        outcomes(mark(one, run), mark(two, run), refused={"already_marked"}), cancelling
    )
    assert cancelled.is_success, cancelled.text
    [(_, count, _completed)] = made
    [copy] = await copies_of(one, subscriptions[0])
    assert (copy["status"], count) in (("Sent", 3), ("Cancelled", 2))
    line = next(
        line for line in await lines_of(one, run) if line.subscription_id == subscriptions[0]
    )
    assert line.status.value == ("sent" if copy["status"] == "Sent" else "left")


async def address_change_against_freeze(one: Cast, two: Cast, number: int) -> None:
    """A line has the address before the change or the one after it, and keeps it."""
    issue, subscriptions = await open_issue(one, number)
    path = f"/v1/subscriptions/{subscriptions[0]}/"
    changed, *made = await asyncio.gather(
        two.patch(path, {"city": "Paris", "country": "FR"}),
        outcomes(freeze(one, issue), refused={"nothing_to_send"}),
        outcomes(freeze(two, issue), refused={"nothing_to_send"}),
    )
    assert changed.is_success, changed.text
    [run] = [each for found in made for each in found]
    before = await lines_of(one, run)
    assert len(before) == 3
    line = next(line for line in before if line.subscription_id == subscriptions[0])
    assert (line.city, line.country) in (("Bonn", "DE"), ("Paris", "FR"))
    await two.patch(path, {"city": "Lyon"})
    assert await lines_of(one, run) == before


DISPATCH_RACES = (
    two_freezes,
    freeze_against_orders,
    mark_twice,
    mark_against_undo,
    mark_against_cancel,
    address_change_against_freeze,
)
