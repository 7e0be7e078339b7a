"""Both databases return values as they were stored: dates, moments, booleans, lists, texts."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import apsw
import asyncpg
import pytest

from masthead.store.engine.interface import Database, Row, Transaction
from masthead.store.engine.postgres.connection import COPIED

MOMENT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
EAST = timezone(timedelta(hours=9))
TEXTS = ["", "Zoë", "東京", "🗞", "'; DROP TABLE sample; --", "%_\\", ":name", "2026-01-02", "true"]


async def keep(db: Database, *rows: Mapping[str, object]) -> None:
    """Insert rows, with ids from 1."""

    async def work(tx: Transaction) -> None:
        await tx.insert_rows("sample", [{"id": n, **row} for n, row in enumerate(rows, 1)])

    await db.write(work)


async def ask(db: Database, sql: str, **parameters: object) -> list[Row]:
    """The rows of a query."""
    async with db.read() as connection:
        return await connection.fetch_all(sql, parameters)


async def change(db: Database, sql: str, **parameters: object) -> int:
    """Run a statement; returns how many rows it changed."""

    async def work(tx: Transaction) -> int:
        return await tx.execute(sql, parameters)

    return await db.write(work)


VALUES: list[tuple[str, Any]] = [
    *(("name", text) for text in TEXTS),
    ("name", None),
    ("is_active", True),
    ("is_active", False),
    ("is_active", None),
    ("order_date", date(1900, 1, 1)),
    ("order_date", date(9999, 12, 31)),
    ("order_date", None),
    ("created_at", MOMENT),
    ("created_at", MOMENT.replace(microsecond=0)),
    ("created_at", MOMENT.astimezone(EAST)),
    ("created_at", None),
]


@pytest.mark.parametrize("column, value", VALUES)
async def test_a_value_is_returned_as_it_was_stored(own: Database, column: str, value: Any) -> None:
    await keep(own, {column: value})
    (row,) = await ask(own, f"SELECT {column} FROM sample")  # noqa: S608 - names from above
    assert row[column] == value
    assert type(row[column]) is type(value)


async def test_values_of_many_rows_are_returned_as_they_were_stored(own: Database) -> None:
    names = ("name", "is_active", "order_date", "created_at")
    rows = [dict.fromkeys(names) | {column: value} for column, value in VALUES] * 5
    rows[1::2] = [dict(reversed(row.items())) for row in rows[1::2]]  # in any order of columns
    assert len(rows) > COPIED
    await keep(own, *rows)
    stored = await ask(own, f"SELECT {', '.join(names)} FROM sample ORDER BY id")  # noqa: S608 - names from above
    assert [dict(row) for row in stored] == rows


async def test_many_rows_may_have_texts_of_other_values(own: Database) -> None:
    row = {"order_date": "2026-01-02", "created_at": "2026-01-02T03:04:05.678901+00:00"}

    async def work(tx: Transaction) -> None:
        rows = [{"id": str(id), **row} for id in range(COPIED)]
        await tx.insert_rows("sample", rows, has_texts=True)

    await own.write(work)
    stored = await ask(own, "SELECT id, order_date, created_at FROM sample ORDER BY id")
    expected = {"order_date": date(2026, 1, 2), "created_at": MOMENT}
    assert [dict(row) for row in stored] == [{"id": id, **expected} for id in range(COPIED)]


async def test_many_rows_are_refused_as_one(own: Database) -> None:
    with pytest.raises((apsw.ConstraintError, asyncpg.UniqueViolationError)):
        await own.write(lambda tx: tx.insert_rows("sample", [{"id": 1, "name": ""}] * COPIED))
    await keep(own, *[{"name": "kept"}] * COPIED)
    assert len(await ask(own, "SELECT id FROM sample")) == COPIED


@pytest.mark.parametrize("column, value", [pair for pair in VALUES if pair[1] is not None])
async def test_a_value_can_be_compared_with_a_parameter_and_set_to_it(
    own: Database, column: str, value: Any
) -> None:
    await keep(own, {column: None}, {column: None})
    where = f"UPDATE sample SET {column} = :value WHERE id = 2"  # noqa: S608 - names from above
    assert await change(own, where, value=value) == 1
    query = f"SELECT id FROM sample WHERE {column} = :value"  # noqa: S608 - names from above
    assert [row["id"] for row in await ask(own, query, value=value)] == [2]


async def test_moments_of_different_time_zones_are_compared_by_time(own: Database) -> None:
    later = (MOMENT + timedelta(microseconds=1)).astimezone(EAST)
    sooner = (MOMENT - timedelta(seconds=1)).astimezone(EAST).replace(microsecond=0)
    await keep(own, {"created_at": later}, {"created_at": MOMENT}, {"created_at": sooner})
    rows = await ask(own, "SELECT id FROM sample ORDER BY created_at")
    assert [row["id"] for row in rows] == [3, 2, 1]
    due = await ask(own, "SELECT id FROM sample WHERE created_at <= :now", now=MOMENT)
    assert {row["id"] for row in due} == {2, 3}


async def test_dates_are_sorted_by_date(own: Database) -> None:
    days = [date(2026, 12, 31), date(1900, 1, 1), date(9999, 1, 1)]
    await keep(own, *({"order_date": day} for day in days))
    rows = await ask(own, "SELECT order_date FROM sample ORDER BY order_date DESC")
    assert [row["order_date"] for row in rows] == sorted(days, reverse=True)


async def test_a_computed_column_is_converted_by_its_name(own: Database) -> None:
    await keep(own, {"order_date": date(2026, 1, 2)})
    (row,) = await ask(
        own,
        "SELECT order_date AS charge_date, EXISTS (SELECT 1 FROM sample) AS is_complete,"
        " NOT EXISTS (SELECT 1 FROM sample) AS has_active_subscription FROM sample",
    )
    assert dict(row) == {
        "charge_date": date(2026, 1, 2),
        "is_complete": True,
        "has_active_subscription": False,
    }


@pytest.mark.parametrize("wanted", [[], TEXTS, TEXTS[:1], ["no such"], TEXTS * 1000])
async def test_a_list_of_texts_is_one_parameter(own: Database, wanted: list[str]) -> None:
    await keep(own, *({"name": text} for text in TEXTS))
    rows = await ask(own, "SELECT name FROM sample WHERE name IN (:names...)", names=wanted)
    assert {row["name"] for row in rows} == set(wanted) & set(TEXTS)


@pytest.mark.parametrize("wanted", [[], [1], [1, 2, 2**53], list(range(10_000))])
async def test_a_list_of_numbers_is_one_parameter(own: Database, wanted: list[int]) -> None:
    await keep(own, {}, {}, {})
    sql = "SELECT id FROM sample WHERE id IN (:ids... AS bigint) AND id > :id"
    rows = await ask(own, sql, ids=wanted, id=0)
    assert {row["id"] for row in rows} == set(wanted) & {1, 2, 3}


async def test_a_parameter_can_be_used_several_times(own: Database) -> None:
    await keep(own, {"name": "Ada"}, {"name": "Bob"})
    sql = "SELECT id FROM sample WHERE name = :name OR (id = :id AND name <> :name)"
    assert len(await ask(own, sql, name="Ada", id=2)) == 2


async def test_a_statement_returns_how_many_rows_it_changed(own: Database) -> None:
    await keep(own, {}, {}, {})
    assert await change(own, "UPDATE sample SET name = 'x' WHERE id > :id", id=1) == 2
    assert await change(own, "UPDATE sample SET name = 'x' WHERE id > :id", id=9) == 0
    assert await change(own, "DELETE FROM sample", id=1) == 3


async def test_the_first_row_of_an_empty_result_is_none(own: Database) -> None:
    async with own.read() as connection:
        assert await connection.fetch_one("SELECT id FROM sample", {}) is None
        assert await connection.fetch_all("SELECT id FROM sample", {}) == []


async def test_inserting_no_rows_changes_nothing(own: Database) -> None:
    async def work(tx: Transaction) -> None:
        await tx.insert_rows("sample", [])
        await tx.execute_many("INSERT INTO sample (id) VALUES (:id)", [])

    await own.write(work)
    assert await ask(own, "SELECT id FROM sample") == []


async def test_a_statement_can_be_repeated_for_many_rows(own: Database) -> None:
    async def work(tx: Transaction) -> None:
        rows = [{"id": n, "order_date": date(2026, 1, n), "is_active": n > 2} for n in range(1, 4)]
        sql = "INSERT INTO sample (id, order_date, is_active) VALUES (:id, :order_date, :is_active)"
        await tx.execute_many(sql, rows)

    await own.write(work)
    rows = await ask(own, "SELECT id, order_date, is_active FROM sample ORDER BY id")
    assert [tuple(row.values()) for row in rows] == [
        (1, date(2026, 1, 1), False),
        (2, date(2026, 1, 2), False),
        (3, date(2026, 1, 3), True),
    ]
