"""The races of changes of addresses: two people plan, cancel and freeze at once.

Each has two writes of which the lock on the account lets one begin after the other.
"""

import asyncio
from collections.abc import Awaitable
from typing import Any

from masthead.model.addresses.changes import ChangeStatus, NewAddress
from masthead.services.addresses.changes import ChangeResult, cancel_changes
from masthead.store.addresses import changes as store
from tests.conftest import BY, Cast
from tests.races.support.dispatch_races import freeze, lines_of, outcomes
from tests.support.addresses import HOME, LATER, VIENNA, move
from tests.support.factories import make_issue, make_subscription

GRAZ = NewAddress(address1="Gasse 9", city="Graz", postcode="8010", country="AT")


async def subscriber(
    cast: Cast, number: int, **issue: object
) -> tuple[dict[str, Any], dict[str, Any]]:
    """An issue, and a subscription for it."""
    created = await make_issue(cast, number, **issue)
    return created, await make_subscription(cast, start_issue=number, length=1, **HOME)


async def changes_of(cast: Cast, subscription: dict[str, Any]) -> list[ChangeStatus]:
    id = subscription["subscriber"]["id"]
    found = await store.list_of_subscriber(cast.db, cast.account_id, id, limit=10)
    return [each.status for each in found]


async def two_changes_at_once(one: Cast, two: Cast, number: int) -> None:
    """Of several changes for the same issues, one is planned and the others are refused."""
    _, subscription = await subscriber(one, number)
    casts = (one, two, one, two)
    planned = [
        move(cast, subscription, first=number, last=number + place, to=to)
        for place, (cast, to) in enumerate(zip(casts, (VIENNA, GRAZ, VIENNA, GRAZ), strict=True))
    ]
    made = await outcomes(*planned, refused={"address_change_overlaps"})
    assert len(made) == 1
    assert await changes_of(one, subscription) == [ChangeStatus.PLANNED]


async def change_against_freeze(one: Cast, two: Cast, number: int) -> None:
    """A run has the whole old or the whole new address, and keeps it."""
    issue, subscription = await subscriber(one, number)
    changes: list[Awaitable[ChangeResult]] = [
        move(two, subscription, first=number, last=number),
        move(one, subscription, first=number, last=number, to=GRAZ),
    ]
    results: tuple[list[Any], list[Any]] = await asyncio.gather(
        outcomes(freeze(one, issue), freeze(two, issue), refused={"nothing_to_send"}),
        outcomes(*changes, refused={"address_change_overlaps"}),
    )
    [run] = results[0]
    [line] = await lines_of(one, run)
    where = (line.address1, line.city, line.postcode, line.country)
    assert where in (
        ("Weg 1", "Berlin", "10115", "DE"),
        ("Ring 1", "Wien", "1010", "AT"),
        ("Gasse 9", "Graz", "8010", "AT"),
    )
    assert len(await changes_of(one, subscription)) == 1


async def holidays_within_a_move_against_freeze(one: Cast, two: Cast, number: int) -> None:
    """One of several holidays within a move is planned; a run has one address, and keeps it."""
    issue, subscription = await subscriber(one, number)
    await make_issue(one, number + 1, release_date_actual=LATER)
    moved = await move(one, subscription, first=number + 1)
    casts = (one, two, one, two)
    holidays = [
        move(cast, subscription, first=number, last=number + 1 + place, to=GRAZ)
        for place, cast in enumerate(casts)
    ]
    results: tuple[list[Any], list[Any]] = await asyncio.gather(
        outcomes(freeze(one, issue), freeze(two, issue), refused={"nothing_to_send"}),
        outcomes(*holidays, refused={"address_change_overlaps"}),
    )
    [run], [holiday] = results
    [line] = await lines_of(one, run)
    assert line.address1 in ("Weg 1", "Gasse 9")
    assert holiday.planned == 1
    found = await store.list_planned(one.db, one.account_id, [subscription["id"]])
    [away, after] = found  # the move begins after the one holiday
    assert after.group_id == moved.group_id
    assert (away.first_issue, away.last_issue) == (number, after.first_issue - 1)
    assert (after.begins, after.last_issue) == (number + 1, None)


async def two_cancels(one: Cast, two: Cast, number: int) -> None:
    """A planned change is cancelled once; the others are told that it is."""
    _, subscription = await subscriber(one, number)
    planned = await move(one, subscription, first=number)
    id = subscription["subscriber"]["id"]
    cancels = [
        cancel_changes(cast.db, cast.account_id, id, planned.group_id, by=BY)
        for cast in (one, two, one, two)
    ]
    assert await outcomes(*cancels, refused={"already_cancelled"}) == [1]
    assert await changes_of(one, subscription) == [ChangeStatus.CANCELLED]


ADDRESS_RACES = (
    two_changes_at_once,
    change_against_freeze,
    holidays_within_a_move_against_freeze,
    two_cancels,
)
