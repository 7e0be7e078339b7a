"""Import rows of our own format as a recorded batch, without a file."""

from collections.abc import Iterator

from masthead.model.actors import Actor
from masthead.model.imports.batches import ImportBatch
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.orders.order import OrderDefaults
from masthead.services.imports.batches import request_undo
from masthead.services.imports.facts import load_facts
from masthead.services.imports.reading import FileReading, survey_table
from masthead.services.imports.work.leases import new_holder
from masthead.services.imports.work.run_batch import begin_run, run_batch
from masthead.services.imports.work.undo import undo_batch
from masthead.store.engine.interface import Database
from masthead.store.imports import batches as store
from tests.conftest import BY, Cast
from tests.support.factories import PLACEHOLDER_DOMAIN


def row(order_id: str, **cells: str) -> dict[str, str]:
    """A valid row, with some cells changed."""
    return {
        "order_id": order_id,
        "email": f"{order_id.lower()}@example.test",
        "first_name": "Ada",
        "last_name": "Lovelace",
        "address1": "12 Square",
        "postcode": "10115",
        "country": "DE",
        "order_date": "2026-01-15",
        "price": "42.00",
        "start_issue": "1",
        "length": "4",
        **cells,
    }


def table_of(*rows: dict[str, str]) -> Table:
    """A table with these rows."""
    columns = tuple(dict.fromkeys(name for each in rows for name in each))

    def read() -> Iterator[Line]:
        for number, cells in enumerate(rows, 2):
            yield Line(number, [cells.get(name, "") for name in columns])

    return Table("list.csv", columns, "Read as a test.", (), ",", len(rows), (), read)


async def reading_of(
    cast: Cast, *rows: dict[str, str], plan: ImportPlan | None = None
) -> FileReading:
    """A file with these rows, read by the plan."""
    defaults = OrderDefaults(cast.currency, PLACEHOLDER_DOMAIN)
    facts = await load_facts(cast.db, cast.account_id, defaults)
    return survey_table(table_of(*rows), plan or ImportPlan(), facts)


async def begin(
    cast: Cast,
    reading: FileReading,
    *,
    sha256: str = "1",
    source_id: str = "",
    holder: str = "me",
    by: Actor = BY,
) -> ImportBatch:
    """Begin the run of a batch."""
    return await begin_run(
        cast.db,
        cast.account_id,
        reading,
        sha256=sha256,
        size=100,
        source_id=source_id or cast.imported,
        holder=holder,
        by=by,
    )


async def imported(
    cast: Cast,
    *rows: dict[str, str],
    sha256: str = "1",
    source_id: str = "",
    plan: ImportPlan | None = None,
) -> ImportBatch:
    """Import rows; the batch."""
    reading = await reading_of(cast, *rows, plan=plan)
    batch = await begin(cast, reading, sha256=sha256, source_id=source_id)
    return await run_batch(cast.db, cast.account_id, batch, reading, holder="me")


async def undone(
    cast: Cast, batch: ImportBatch, *, keep: bool = False, db: Database | None = None
) -> ImportBatch:
    """Undo a batch; what became of it."""
    await request_undo(cast.db, cast.account_id, batch.id, keep_touched=keep, by=BY)
    asked = await store.get_batch(cast.db, cast.account_id, batch.id)
    return await undo_batch(db or cast.db, cast.account_id, asked, holder=new_holder())
