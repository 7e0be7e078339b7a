"""Rows are placed in batches that grow, and the planner is told how much the tables have grown."""

from masthead.model.imports.rows.prepared import PreparedRow
from masthead.services.imports.work.placed import PlacedRow
from masthead.services.imports.work.run_batch import place_in_batches
from masthead.store.engine.wrapped import WrappedDatabase
from tests.conftest import Cast


class Told(WrappedDatabase):
    """Notes after how many rows it was told. placed: the sizes of the batches."""

    def __init__(self, cast: Cast) -> None:
        super().__init__(cast.db)
        self.placed, self.told = list[int](), list[int]()

    async def place(self, rows: list[PreparedRow]) -> list[PlacedRow]:
        self.placed.append(len(rows))
        return []

    async def analyze_grown(self) -> None:
        await super().analyze_grown()
        self.told.append(sum(self.placed))

    def is_shared(self) -> bool:
        return False


async def test_the_planner_is_told_whenever_there_are_four_times_as_many_rows(acme: Cast) -> None:
    db = Told(acme)
    row = PreparedRow(lines=[])
    await place_in_batches(db, iter([row] * 5_000), db.place, is_kept=True)
    assert db.placed == [25, 50, 100, 200, 400, 225, 1_000, 1_000, 1_000, 1_000]
    assert db.told == [175, 775, 4_000]
    await place_in_batches(db, iter([row] * 5_000), db.place)  # as in a rehearsal
    assert db.told == [175, 775, 4_000]
