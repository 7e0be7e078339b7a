"""What SQLite's planner assumes in every database: many rows. Decision 0094.

`sqlite_stat1` says how many rows a table has, and how many of them have the same value in the first
column of an index, in its first two, and so on. SQLite counts them on demand. Counted while there
are few rows, they lead to plans that are slow once there are many. So masthead writes numbers that
follow from the schema, and never counts.
"""

import re
from collections.abc import Iterator
from contextlib import closing
from itertools import accumulate
from pathlib import Path
from typing import Any

import apsw

from masthead.store.engine.interface import BOOLEAN_COLUMNS, DATE_COLUMNS
from masthead.store.engine.sqlite.connection import open_file, translate_error
from masthead.store.engine.sqlite.writer import BEGIN_WRITE

ACCOUNTS = 10
USUAL = 10_000  # rows of an account in a table, if the next lines do not say otherwise
ROWS = {
    "account": 1,
    **dict.fromkeys(
        "account_user api_key app_user bank_statement carrier_file collection dispatch "
        "dispatch_file exchange_rate export_profile import_batch import_mapping issue "
        "ledger_account letter_batch number_series price_rise product product_price "
        "reminder_round reminder_stage renewal_stage retention_rule revenue_statement source "
        "vat_rate vat_setting webhook".split(),
        40,
    ),
    **dict.fromkeys(
        "billed_order event import_row payer period renewal_letter searchable subscriber "
        "subscription subscription_document".split(),
        100_000,
    ),
    **dict.fromkeys(
        "audit bank_line copy dispatch_line invoice invoice_line payment settlement".split(),
        1_000_000,
    ),
}
# How many values a column has, if its name says nothing else
VALUES = {
    **dict.fromkeys("currency series".split(), 1),
    **dict.fromkeys("category kind medium outcome rate status type".split(), 3),
    **dict.fromkeys("action actor_id product_id source_id subject_type".split(), 10),
    **dict.fromkeys("batch_id country first_issue issue_number last_issue".split(), 40),
    **dict.fromkeys("round_id start_issue statement_id".split(), 40),
}
DATES = 1_000  # values of a column of dates
SELECTED = 10  # one row in so many is in an index with a condition
_PEOPLE = "payer gifter kept merged other".split()  # columns of ids that name subscribers

_TABLES = """
    SELECT name
    FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY name
"""
_INDEXES = """
    SELECT i.name, i."unique", s.sql
    FROM pragma_index_list(?) AS i
    JOIN sqlite_schema AS s ON s.name = i.name
    ORDER BY i.name
"""
_COLUMNS = "SELECT name FROM pragma_index_info(?) ORDER BY seqno"
_OWN = "SELECT name FROM sqlite_schema WHERE name LIKE 'sqlite\\_stat%' ESCAPE '\\'"

Statistic = tuple[str, str, str]  # the table, its index, and the numbers of rows


def write_statistics(connection: apsw.Connection) -> None:
    """Write the assumed statistics, if the database has others, in the transaction that is open.

    It creates the tables again, as a change of the schema, because other connections read
    statistics only when they read the schema. `sqlite_stat4` would have values of rows; it stays
    empty.
    """
    assumed = list(_assume(connection))
    if _read(connection) == assumed:
        return
    for (table,) in _fetch(connection, _OWN):
        connection.execute(f"DROP TABLE {table}")
    connection.execute("ANALYZE sqlite_schema")  # creates them without rows
    connection.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", assumed)
    connection.execute("ANALYZE sqlite_schema")  # this connection uses them from now on


def restore_statistics(path: Path) -> None:
    """Write the assumed statistics, if the database has others. Raises: Unavailable."""
    try:
        with closing(open_file(path, read_only=False)) as connection:
            if _read(connection) != list(_assume(connection)):
                connection.execute(BEGIN_WRITE)
                write_statistics(connection)
                connection.execute("COMMIT")
    except apsw.Error as reason:
        raise translate_error(reason) from reason


def _fetch(connection: apsw.Connection, sql: str, *values: str) -> list[Any]:
    """The rows of a statement; not typed, as its columns differ."""
    return connection.execute(sql, values).fetchall()


def _read(connection: apsw.Connection) -> list[Statistic]:
    """The statistics that the database has; none if it has values of rows, too."""
    stored = {
        name: _fetch(connection, f"SELECT * FROM {name} ORDER BY 1, 2")  # noqa: S608 - SQLite's own
        for (name,) in _fetch(connection, _OWN)
    }
    counts: list[Statistic] = stored.pop("sqlite_stat1", [])
    return [] if any(stored.values()) else counts


def _assume(connection: apsw.Connection) -> Iterator[Statistic]:
    """The statistics of all indexes of the schema."""
    for (table,) in _fetch(connection, _TABLES):
        indexes = [
            (name, is_unique, sql, [column for (column,) in _fetch(connection, _COLUMNS, name)])
            for name, is_unique, sql in _fetch(connection, _INDEXES, table)
        ]
        is_single = any(
            is_unique and columns == ["account_id"] for _, is_unique, _, columns in indexes
        )
        rows = ACCOUNTS * (1 if is_single else ROWS.get(table, USUAL))
        for name, is_unique, sql, columns in indexes:
            condition = (sql or "").partition(" WHERE ")[2]
            fixed = re.findall(r"(\w+) (?:=|IS NULL)", condition)
            values = [1 if column in fixed else _count_values(column) for column in columns]
            numbers = list(
                accumulate(
                    values,
                    lambda left, count: max(1, left // count),
                    initial=rows // (SELECTED if condition else 1),
                )
            )
            if is_unique:
                numbers[-1] = 1
            yield table, name, f"{' '.join(map(str, numbers))} noskipscan"


def _count_values(column: str | None) -> int:
    """How many values a column has, of each account. column: None for an expression."""
    if column == "account_id":
        return ACCOUNTS
    if column is None:
        return ROWS["subscriber"]
    if column in VALUES:
        return VALUES[column]
    if column in BOOLEAN_COLUMNS:
        return 2
    if column in DATE_COLUMNS or column.endswith("_at"):
        return DATES
    table = column.removesuffix("_id")
    if table == column:
        return max(ROWS.values())
    return ROWS.get("subscriber" if table in _PEOPLE else table, USUAL)
