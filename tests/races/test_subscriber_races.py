"""Two workers that correct and merge subscribers at once: each race, and its control without lock.

Merges run in both directions, and beside corrections, orders and a freeze. The lock on the account
lets one write begin after the other.
"""

from collections.abc import Awaitable

import pytest

from masthead.model.errors import CHANGED_MEANWHILE
from masthead.model.subscribers.corrections import MERGED_MEANWHILE
from masthead.services.letters.subscribers import mark_bounced
from masthead.services.subscribers.undo_merge import NOT_UNDONE, undo_merge
from masthead.store.letters.subscribers import get_subscriber
from masthead.store.subscribers.merges import list_merges
from tests.conftest import BY, Cast
from tests.races.support.dispatch_races import freeze, lines_of, outcomes
from tests.races.support.races import Race
from tests.races.test_races import CONTROL_ROUNDS, repeat, run
from tests.support.factories import copies_of, make_issue, manual
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.rounds import rounds
from tests.support.subscribers import correct, make_subscriber, merge, subscriber

pytestmark = pytest.mark.races

ROUNDS = rounds(4)


async def two_subscribers(cast: Cast, number: int) -> tuple[str, str]:
    """Two subscribers, each with a copy of an issue."""
    await make_issue(cast, number)
    first, second = [
        await make_subscriber(cast, f"{name}{number}@example.test", start_issue=number, length=1)
        for name in "ab"
    ]
    return first, second


async def kept_of(cast: Cast, *ids: str) -> str:
    """The subscriber that all ids lead to, with the subscriptions of all of them."""
    found = [await subscriber(cast, id) for id in ids]
    [kept] = {each["id"] for each in found}
    assert found[0]["subscription_count"] == len(ids)
    return str(kept)


async def merge_against_merge(one: Cast, two: Cast, number: int) -> None:
    """Two people merge two subscribers at once, in both directions: one of them does."""
    a, b = await two_subscribers(one, number)
    writes: list[Awaitable[str]] = [merge(one, a, b), merge(two, b, a)]
    assert len(await outcomes(*writes, refused={MERGED_MEANWHILE})) == 1
    assert await kept_of(one, a, b) in (a, b)


async def merge_against_another(one: Cast, two: Cast, number: int) -> None:
    """A subscriber that is merged into two others at once is merged into one of them."""
    a, b = await two_subscribers(one, number)
    c = await make_subscriber(one, f"c{number}@example.test", start_issue=number, length=1)
    assert len(await outcomes(merge(one, a, b), merge(two, c, b), refused={MERGED_MEANWHILE})) == 1
    counts = [(await subscriber(one, id))["subscription_count"] for id in (a, c)]
    assert sorted(counts) == [1, 2]


async def merge_against_correction(one: Cast, two: Cast, number: int) -> None:
    """A subscriber is corrected and then merged, or merged and then not corrected."""
    a, b = await two_subscribers(one, number)
    seen = {"first_name": "Ada", "email": f"b{number}@example.test"}
    new = f"new{number}@example.test"
    done = await outcomes(
        merge(one, a, b), correct(two, b, seen=seen, email=new), refused={MERGED_MEANWHILE}
    )
    await kept_of(one, a, b)
    answer = await one.post("/v1/subscriptions/", manual(one, start_issue=number, email=new))
    is_corrected = len(done) == 2
    assert (answer.json()["subscriber"]["id"] == a) is is_corrected


async def correction_against_correction(one: Cast, two: Cast, number: int) -> None:
    """Of two corrections of what both saw, one is saved."""
    a, _ = await two_subscribers(one, number)
    seen = {"first_name": "Ada"}
    done = await outcomes(
        correct(one, a, seen=seen, first_name="Eva"),
        correct(two, a, seen=seen, first_name="Ida"),
        refused={CHANGED_MEANWHILE},
    )
    assert len(done) == 1


async def bounce_against_correction(one: Cast, two: Cast, number: int) -> None:
    """An address that bounced is marked and then corrected, or corrected and then not marked."""
    a, _ = await two_subscribers(one, number)
    old, new = f"a{number}@example.test", f"new{number}@example.test"
    await outcomes(
        mark_bounced(one.db, one.account_id, a, email=old, reason="", by=BY),
        correct(two, a, seen={"email": old}, email=new),
        refused={CHANGED_MEANWHILE},
    )
    assert (await subscriber(one, a))["email"] == new
    assert (await get_subscriber(one.db, one.account_id, a)).bounced_at is None


async def merge_against_order(one: Cast, two: Cast, number: int) -> None:
    """An order for the merged subscriber belongs to the one that stays."""
    a, b = await two_subscribers(one, number)
    ordered = two.post(
        "/v1/subscriptions/", manual(two, start_issue=number, email=f"b{number}@example.test")
    )
    _, answer = await outcomes(merge(one, a, b), ordered, refused=set())
    assert answer.is_success, answer.text
    found = await subscriber(one, b)
    assert (found["id"], found["subscription_count"]) == (a, 3)
    order = (await one.get(f"/v1/subscriptions/{answer.json()['id']}/")).json()
    assert order["subscriber"]["id"] == a
    assert {copy["subscriber_id"] for copy in await copies_of(one, order["id"])} == {a}


async def merge_against_freeze(one: Cast, two: Cast, number: int) -> None:
    """A run that is frozen meanwhile has the lines of one moment: before or after the merge."""
    issue = await make_issue(one, number)
    a, b = [
        await make_subscriber(one, f"{name}{number}@example.test", start_issue=number, length=1)
        for name in "ab"
    ]
    _, run = await outcomes(merge(one, a, b), freeze(two, issue), refused=set())
    subscribers = sorted(line.subscriber_id for line in await lines_of(one, run))
    assert subscribers in ([a, a], sorted([a, b]))
    await kept_of(one, a, b)


async def undo_against_undo(one: Cast, two: Cast, number: int) -> None:
    """A merge is undone once."""
    a, b = await two_subscribers(one, number)
    id = await merge(one, a, b)
    done = await outcomes(
        *(undo_merge(cast.db, cast.account_id, id, by=BY) for cast in (one, two)),
        refused={NOT_UNDONE},
    )
    assert len(done) == 1
    assert [(await subscriber(one, each))["id"] for each in (a, b)] == [a, b]
    merges = await list_merges(one.db, one.account_id, after="", limit=1000)
    assert [each.undone_at is not None for each in merges if each.id == id] == [True]


SUBSCRIBER_RACES: list[Race] = [
    merge_against_merge,
    merge_against_another,
    merge_against_correction,
    correction_against_correction,
    bounce_against_correction,
    merge_against_order,
    merge_against_freeze,
    undo_against_undo,
]


@pytest.mark.parametrize("race", SUBSCRIBER_RACES)
async def test_each_record_has_one_subscriber_after_every_race(
    race: Race, pair: tuple[Cast, Cast]
) -> None:
    await repeat(race, pair, ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("race", SUBSCRIBER_RACES)
async def test_without_the_lock_a_race_of_subscribers_fails(
    race: Race, unlocked_url: str, backend: str
) -> None:
    if backend == "postgres" and race is merge_against_freeze:
        pytest.skip("each statement of PostgreSQL sees one moment, which is enough for a freeze")
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)
