"""Counts that pages show are kept until the account changes, and not one request longer."""

from datetime import date, timedelta

import pytest

from masthead.store.engine.interface import Database
from masthead.web.kit.known_counts import MAX_COUNTS, KnownCounts
from tests.conftest import Cast
from tests.support.factories import make_issue

DAY = date(2026, 11, 27)


class Counter:
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    async def count(self) -> int:
        self.asked += 1
        return self.asked


@pytest.fixture
def known() -> KnownCounts:
    return KnownCounts()


async def test_a_count_is_made_once(known: KnownCounts, db: Database, acme: Cast) -> None:
    one, other = Counter(), Counter()
    for _ in range(3):
        assert await known.get(db, acme.account_id, DAY, "one", one.count) == 1
        assert await known.get(db, acme.account_id, DAY, "other", other.count) == 1


async def test_a_write_forgets_all_counts_of_the_account(
    known: KnownCounts, db: Database, acme: Cast, rival: Cast
) -> None:
    own, foreign = Counter(), Counter()
    await known.get(db, acme.account_id, DAY, "all", own.count)
    await known.get(db, rival.account_id, DAY, "all", foreign.count)
    await make_issue(acme)
    assert await known.get(db, acme.account_id, DAY, "all", own.count) == 2
    assert await known.get(db, rival.account_id, DAY, "all", foreign.count) == 1


async def test_a_new_day_forgets_the_counts(known: KnownCounts, db: Database, acme: Cast) -> None:
    counter = Counter()
    await known.get(db, acme.account_id, DAY, "all", counter.count)
    assert await known.get(db, acme.account_id, DAY + timedelta(1), "all", counter.count) == 2


async def test_a_write_while_it_counts_makes_it_count_again(
    known: KnownCounts, db: Database, acme: Cast
) -> None:
    async def count() -> str:
        await make_issue(acme)
        return "old"

    async def count_again() -> str:
        return "new"

    assert await known.get(db, acme.account_id, DAY, "all", count) == "old"
    assert await known.get(db, acme.account_id, DAY, "all", count_again) == "new"


async def test_it_keeps_a_limited_number(known: KnownCounts, db: Database, acme: Cast) -> None:
    for name in range(MAX_COUNTS):
        await known.get(db, acme.account_id, DAY, name, Counter().count)
    late = Counter()
    await known.get(db, acme.account_id, DAY, "late", late.count)
    assert await known.get(db, acme.account_id, DAY, "late", late.count) == 2
