"""Rows of queries as structs, so that a type checker knows their columns.

A struct has the columns that its users need; others are left out. Text becomes the enum of its
field, and the 0 and 1 of SQLite a boolean. Fields that are structs, lists or mappings are stored
as JSON.
"""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

from msgspec import Struct, convert, json
from msgspec.inspect import DictType, ListType, StructType, UnionType, type_info

from masthead.model.errors import NotFound
from masthead.store.engine.interface import Connection, Parameters, Row, Transaction

S = TypeVar("S", bound=Struct)


async def fetch_all(db: Connection, sql: str, parameters: Parameters, *, into: type[S]) -> list[S]:
    """All rows, as structs; 1 µs for each on SQLite, 2 µs on PostgreSQL."""
    return to_structs(await db.fetch_all(sql, parameters), into)


def to_structs(rows: Sequence[Row], into: type[S]) -> list[S]:
    """Rows as structs; together, they take half of the time."""
    if _json_columns(into):
        return [to_struct(row, into) for row in rows]
    return convert([dict(row) for row in rows], list[into], strict=False)  # type: ignore[valid-type]


async def fetch_one(db: Connection, sql: str, parameters: Parameters, *, into: type[S]) -> S | None:
    """The first row as a struct, or None."""
    row = await db.fetch_one(sql, parameters)
    return None if row is None else to_struct(row, into)


async def get_one(
    db: Connection, account_id: int, id: str | int, sql: str, *, into: type[S], noun: str
) -> S:
    """The row of a record. sql: with `:account_id` and `:id`. Raises: NotFound with the noun."""
    found = await fetch_one(db, sql, {"account_id": account_id, "id": id}, into=into)
    if found is None:
        raise NotFound(noun, id)
    return found


async def insert_row(tx: Transaction, table: str, /, **columns: object) -> None:
    """Insert a row."""
    await tx.insert_rows(table, [columns])


def to_struct(row: Row, into: type[S]) -> S:
    """A row as a struct."""
    values = dict(row)
    for name in _json_columns(into):
        if isinstance(text := values.get(name), str):
            values[name] = json.decode(text)
    return convert(values, into, strict=False)


@cache
def _json_columns(into: type[Struct]) -> list[str]:
    """The columns of a struct that contain JSON."""
    info = type_info(into)
    assert isinstance(info, StructType)
    return [
        field.name
        for field in info.fields
        if any(
            isinstance(each, StructType | ListType | DictType)
            for each in (field.type.types if isinstance(field.type, UnionType) else [field.type])
        )
    ]
