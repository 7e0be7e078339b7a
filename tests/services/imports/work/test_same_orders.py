"""Orders of a newer file whose subscriber was chosen, corrected or merged since their import."""

import pytest
from msgspec import structs

from masthead.model.imports.batches import Decisions, ImportBatch, RowOutcome
from masthead.services.imports.work.run_batch import rehearse, run_batch
from tests.conftest import Cast
from tests.services.imports.support import begin, imported, reading_of, row
from tests.support.checks import faults
from tests.support.factories import import_options, make_issue
from tests.support.privacy import erase
from tests.support.subscribers import correct
from tests.support.walk import walk

OLD = row("M1", email="ada@old.test")
NEW = row("A1", email="ada@new.test")


async def attached(cast: Cast, *rows: dict[str, str]) -> ImportBatch:
    """Import an order of a known subscriber, and rows with another email that go to them."""
    await make_issue(cast)
    await imported(cast, OLD, sha256="0")
    reading = await reading_of(cast, *rows)
    batch = await begin(cast, reading)
    decided = structs.replace(batch, decisions=Decisions(attach=True))
    done = await run_batch(cast.db, cast.account_id, decided, reading, holder="me")
    assert done.counts.subscribers_made == 0
    return done


async def test_an_order_that_went_to_another_subscriber_is_skipped_in_a_newer_file(
    acme: Cast,
) -> None:
    await attached(acme, NEW, row("A2", email="ada@new.test"))
    others = [
        row("A2", email="bob@new.test"),
        row("A2", email="ada@new.test", price="43.00"),
        row("A3", email="", last_name="Other"),
    ]
    again = await imported(acme, NEW, *others, sha256="2")
    counts = again.counts
    assert (counts.skipped, counts.rejected, counts.imported) == (1, 2, 1)
    assert await faults(acme) == []


async def test_the_same_order_twice_in_a_file_is_skipped_wherever_it_went(acme: Cast) -> None:
    await make_issue(acme)
    await imported(acme, OLD, sha256="0")
    [ada] = await walk(acme, "/v1/subscribers/")
    reading = await reading_of(acme, NEW, NEW, row("A1", email="bob@new.test"))
    batch = await begin(acme, reading)
    decided = structs.replace(batch, decisions=Decisions(decided={2: ada["id"]}))
    done = await run_batch(acme.db, acme.account_id, decided, reading, holder="me")
    assert (done.counts.imported, done.counts.skipped, done.counts.rejected) == (1, 1, 1)


@pytest.mark.parametrize("email", ["ada@old.test", ""])
async def test_an_order_whose_subscriber_was_corrected_is_skipped_in_a_newer_file(
    acme: Cast, email: str
) -> None:
    await make_issue(acme)
    first = row("A1", email=email)
    await imported(acme, first)
    [made] = await walk(acme, "/v1/subscriptions/")
    await correct(acme, made["subscriber"]["id"], email="ada@new.test")
    fields = {"address1": "9 Circle", "last_name": "King"}
    assert (await acme.patch(f"/v1/subscriptions/{made['id']}/", fields)).status_code == 200
    rows = [first, row("A1", email="ada@new.test"), row("A1", email="bob@new.test")]
    reading = await reading_of(acme, *rows)
    seen = list[tuple[int, RowOutcome]]()
    how = import_options(acme)
    await rehearse(
        acme.db,
        how,
        reading,
        on_row=lambda row, placed: seen.append((placed.stored.line, placed.stored.outcome)),
    )
    assert seen == [(2, "skipped"), (3, "skipped"), (4, "refused")]
    again = await imported(acme, *rows, sha256="2")
    assert (again.counts.skipped, again.counts.rejected) == (2, 1)


async def test_an_erasure_forgets_what_rows_said_about_the_subscriber(acme: Cast) -> None:
    await attached(acme, NEW)
    other = await imported(acme, row("B1", email="bob@example.test", last_name="B"), sha256="3")
    [ada, bob] = sorted(await walk(acme, "/v1/subscribers/"), key=lambda each: each["email"])
    await correct(acme, bob["id"], email="bob@new.test")
    await erase(acme, ada["id"])

    async def said() -> list[str]:
        rows = await acme.db.fetch_all(
            "SELECT batch_id FROM import_row WHERE account_id = :id AND said IS NOT NULL",
            {"id": acme.account_id},
        )
        return [each["batch_id"] for each in rows]

    assert await said() == [other.id]
    await erase(acme, bob["id"])
    assert await said() == []
