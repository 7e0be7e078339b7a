"""Read the rows of the files of an export, in the order of their keys."""

from collections.abc import Sequence
from datetime import date
from functools import cache

from masthead.model.exports.export_files import ExportFile
from masthead.store.engine.interface import BOOLEAN_COLUMNS, DATE_COLUMNS, Connection, Dialect, Row

PAGE = 5_000  # rows
_MOMENT = 'YYYY-MM-DD"T"HH24:MI:SS.US+00:00'


async def list_rows(
    db: Connection,
    account_id: int,
    exported: ExportFile,
    *,
    after: Sequence[object] = (),
    limit: int = 0,
) -> list[Row]:
    """The next rows of a file, as texts and whole numbers by position. Index: the primary key.

    after: from `key_of` of the last row before; empty for the first page.
    """
    parameters: dict[str, object] = {"account_id": account_id, "limit": limit or PAGE}
    parameters |= {f"after_{name}": value for name, value in zip(exported.key, after, strict=False)}
    return await db.fetch_all(_page(exported, db.dialect, bool(after)), parameters)


def key_of(exported: ExportFile, values: Sequence[object]) -> list[object]:
    """The key of a row with these values, for `list_rows`."""
    return [
        date.fromisoformat(str(value)) if name in DATE_COLUMNS else value
        for name, value in ((name, values[exported.columns.index(name)]) for name in exported.key)
    ]


@cache
def _page(exported: ExportFile, dialect: Dialect, is_next: bool) -> str:
    """The statement of a page. Columns have numbers as names, so that no value is converted."""
    columns = ",\n".join(
        f"{_expression(exported, name, dialect)} AS c{place}"
        for place, name in enumerate(exported.columns)
    )
    key = ", ".join(f"t.{name}" for name in exported.key)
    after = ", ".join(f":after_{name}" for name in exported.key)
    condition = f"AND ({key}) > ({after})" if is_next else ""
    return f"""
        SELECT {columns}
        FROM {exported.source or f"{exported.table} t"}
        WHERE {exported.account} = :account_id {condition}
        ORDER BY {key}
        LIMIT :limit
    """  # noqa: S608 - only constants of the model


def _expression(exported: ExportFile, column: str, dialect: Dialect) -> str:
    """A column as text or whole number: dates and moments in ISO 8601, true and false."""
    value = exported.expressions.get(column, f"t.{column}")
    if column in BOOLEAN_COLUMNS:
        return f"CASE WHEN {value} THEN 'true' WHEN NOT {value} THEN 'false' END"
    if dialect == "sqlite":
        return value
    if column in DATE_COLUMNS:
        return f"CAST({value} AS text)"
    if column.endswith("_at"):
        return f"to_char({value} AT TIME ZONE 'UTC', '{_MOMENT}')"
    return value
