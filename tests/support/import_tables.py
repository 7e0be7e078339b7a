"""Tables in memory, and the orders that a mapping makes of their rows."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from msgspec import structs

from masthead.model.imports.mapping import ImportMapping, Rule
from masthead.model.imports.plan import AccountFacts, ImportPlan, IssueDates
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.tabular_data import Line, Table
from masthead.model.orders.order import Order, OrderDefaults
from masthead.services.imports.reading import prepare, survey

Columns = Mapping[str, str | Rule] | Mapping[str, str] | Mapping[str, Rule] | None
RELEASES = {1: date(2026, 1, 15), 2: date(2026, 4, 15), 3: date(2026, 7, 15), 4: date(2026, 10, 15)}
FACTS = AccountFacts(
    defaults=OrderDefaults("EUR", "placeholder.example"),
    time_zone="Europe/Berlin",
    country="DE",
    today=date(2026, 11, 22),
    issues=[IssueDates(number, day) for number, day in RELEASES.items()],
    products={"Print": "PRINT"},
    sources={"Shop": "SHOP"},
)
# The least that a row needs
ROW = {"Id": "1", "Last": "Bell", "Land": "DE", "Date": "2026-05-01", "Total": "40", "Issues": "4"}
COLUMNS = {
    "order_id": "Id",
    "last_name": "Last",
    "country": "Land",
    "order_date": "Date",
    "price": "Total",
    "length": "Issues",
}


def table_of(rows: Sequence[dict[str, str]]) -> Table:
    """A table with these rows; its columns are those of all rows."""
    columns = tuple(dict.fromkeys(name for row in rows for name in row))
    lines = [
        Line(number, [row.get(name, "") for name in columns]) for number, row in enumerate(rows, 2)
    ]
    return Table(
        name="list.csv",
        columns=columns,
        description="",
        notes=(),
        separator=",",
        row_count=len(rows),
        sheets=(),
        read=lambda: iter(lines),
    )


def mapping_of(columns: Columns = None, **more: Any) -> ImportMapping:
    """The mapping of ROW, with more columns and settings."""
    given: dict[str, str | Rule] = {**COLUMNS, **(columns or {})}
    rules = {
        field: Rule(columns=(rule,)) if isinstance(rule, str) else rule
        for field, rule in given.items()
    }
    return ImportMapping(columns=rules, **more)


def prepared(
    rows: Sequence[dict[str, str]],
    mapping: ImportMapping | None = None,
    *,
    facts: AccountFacts = FACTS,
    **plan: Any,
) -> list[PreparedRow]:
    """The prepared rows of a table. mapping: that of ROW if it is not given."""
    table = table_of(rows)
    mapping = mapping_of() if mapping is None else mapping
    found = survey(table, mapping)
    return list(prepare(table, ImportPlan(mapping=mapping, **plan), found, facts))


def order_of(
    cells: dict[str, str] | None = None,
    columns: Columns = None,
    *,
    without: Sequence[str] = (),
    facts: AccountFacts = FACTS,
    **more: Any,
) -> Order:
    """The order of one row: ROW with other cells and more columns. without: fields to leave out."""
    [row] = prepared([{**ROW, **(cells or {})}], _without(columns, without, more), facts=facts)
    assert row.reasons == []
    assert row.order is not None
    return row.order


def reasons_of(
    cells: dict[str, str] | None = None,
    columns: Columns = None,
    *,
    without: Sequence[str] = (),
    **more: Any,
) -> dict[str, str]:
    """The reasons against one row, by column."""
    [row] = prepared([{**ROW, **(cells or {})}], _without(columns, without, more))
    assert row.order is None
    return {problem.column: problem.text for problem in row.reasons}


def _without(columns: Columns, without: Sequence[str], more: dict[str, Any]) -> ImportMapping:
    mapping = mapping_of(columns, **more)
    rules = {field: rule for field, rule in mapping.columns.items() if field not in without}
    return structs.replace(mapping, columns=rules)
