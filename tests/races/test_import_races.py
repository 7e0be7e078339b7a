"""Imports and undos on two workers: the races, and their controls without locks."""

import asyncio

import pytest

from masthead.model.imports.batches import ImportBatch
from masthead.services.imports.batches import request_undo
from masthead.services.imports.work.run_batch import begin_run, run_batch
from masthead.services.imports.work.undo import undo_batch
from masthead.store.imports import batches as store
from tests.conftest import BY, Cast
from tests.races.support.races import MARK_SENT, Race
from tests.races.test_races import CONTROL_ROUNDS, repeat, run
from tests.services.imports.support import reading_of, row
from tests.support.factories import make_issue
from tests.support.protections import REFUSED_OR_BROKEN
from tests.support.rounds import rounds
from tests.support.subscribers import rows
from tests.support.walk import walk

pytestmark = pytest.mark.races

ROWS = 3


async def import_rows(cast: Cast, number: int, holder: str) -> ImportBatch:
    """Import some orders of one issue."""
    cells = {"start_issue": str(number), "length": "1"}
    reading = await reading_of(cast, *(row(f"N{number}-{n}", **cells) for n in range(ROWS)))
    batch = await begin_run(
        cast.db,
        cast.account_id,
        reading,
        sha256=str(number),
        size=1,
        source_id=cast.imported,
        holder=holder,
        by=BY,
    )
    return await run_batch(cast.db, cast.account_id, batch, reading, holder=holder)


async def import_the_same_file(one: Cast, two: Cast, number: int) -> None:
    """Each order of a file that two people import at once is made once."""
    await make_issue(one, number)
    done = await asyncio.gather(
        import_rows(one, number, "one"), import_rows(two, number, "two"), return_exceptions=True
    )
    counts = [each.counts for each in done if isinstance(each, ImportBatch)]
    assert len(counts) == 2, done
    assert sum(each.imported for each in counts) == ROWS
    assert sum(each.skipped for each in counts) == ROWS


async def undo_beside_mark_sent(one: Cast, two: Cast, number: int) -> None:
    """A copy that is marked as sent during an undo stays; or the undo was faster."""
    issue = await make_issue(one, number)
    batch = await import_rows(one, number, "one")
    ids = [copy["id"] for copy in await walk(one, "/v1/copies/", issue=issue["id"])]
    assert len(ids) == ROWS
    await request_undo(one.db, one.account_id, batch.id, keep_touched=True, by=BY)
    asked = await store.get_batch(one.db, one.account_id, batch.id)
    undone, answer = await asyncio.gather(
        undo_batch(one.db, one.account_id, asked, holder="one"),
        two.post(MARK_SENT, {"ids": ids[:1]}),
        return_exceptions=True,
    )
    assert isinstance(undone, ImportBatch), undone
    assert not isinstance(answer, BaseException), answer
    assert answer.is_success, answer.text
    left = await rows(
        one, "SELECT status FROM copy WHERE account_id = :account_id AND id = :id", id=int(ids[0])
    )
    if answer.json()["updated_count"]:
        assert [copy["status"] for copy in left] == ["Sent"]
        assert (undone.counts.undone, undone.counts.kept) == (ROWS - 1, 1)
    else:
        assert left == []
        assert undone.counts.undone == ROWS


RACES: list[Race] = [import_the_same_file, undo_beside_mark_sent]


@pytest.mark.parametrize("race", RACES)
async def test_imports_and_undos_beside_other_work(race: Race, pair: tuple[Cast, Cast]) -> None:
    await repeat(race, pair, rounds(4))


@pytest.mark.slow
@pytest.mark.parametrize("race", RACES)
async def test_without_locks_orders_or_sent_copies_are_lost(race: Race, unlocked_url: str) -> None:
    with pytest.raises(REFUSED_OR_BROKEN):
        await run(race, unlocked_url, CONTROL_ROUNDS)
