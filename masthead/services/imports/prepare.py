"""Prepares the rows of a table: by the mapping, each becomes an order or the reasons against it."""

from collections.abc import Iterator, Sequence

from masthead.model.imports.mapping import answer_mapping
from masthead.model.imports.plan import AccountFacts, ImportPlan, Survey
from masthead.model.imports.rows.compiled import CompiledMapping
from masthead.model.imports.rows.orders import OrderMaker
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.tabular_data import Line, Table
from masthead.services.imports.survey import survey

__all__ = ["PreparedRow", "prepare", "survey"]

MAX_LINES = 1_000  # of one order


def prepare(
    table: Table, plan: ImportPlan, survey: Survey, facts: AccountFacts
) -> Iterator[PreparedRow]:
    """The orders of a table, one after the other; constant memory.

    Raises: Invalid if the table does not have the columns of the mapping.
    """
    mapping = answer_mapping(plan.mapping, plan.answers)
    compiled = CompiledMapping(mapping, table.columns)
    maker = OrderMaker(mapping, plan, survey, facts, compiled)
    return (row for lines in _orders(table, compiled) for row in maker.rows_of(lines))


def _orders(table: Table, compiled: CompiledMapping) -> Iterator[Sequence[Line]]:
    """The lines of each order: one, and those that continue it."""
    lines: list[Line] = []
    for line in map(compiled.repair, table.lines()):
        if (
            lines
            and not line.problem
            and len(lines) < MAX_LINES
            and compiled.continues(line.cells, lines[-1].cells)
        ):
            lines.append(line)
            continue
        if lines:
            yield lines
        lines = [line]
    if lines:
        yield lines
