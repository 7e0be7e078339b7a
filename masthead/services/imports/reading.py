"""Read the file of an import by its plan: one pass surveys its rows, another makes their orders."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.mapping import ImportMapping, answer_mapping
from masthead.model.imports.plan import AccountFacts, ImportPlan, Survey
from masthead.model.imports.rows.compiled import CompiledMapping
from masthead.model.imports.rows.orders import OrderMaker
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.rows.surveyor import Surveyor
from masthead.model.imports.tabular_data import (
    NO_CORRECTIONS,
    Corrections,
    FileLayout,
    Line,
    Table,
    correct_table,
)
from masthead.model.orders.released_issues import NONE, RELEASED
from masthead.model.resources import Source
from masthead.model.types.messages import closest
from masthead.services.imports.table import open_table
from masthead.store import sources
from masthead.store.engine.interface import Connection

MAX_LINES = 1_000  # of one order


class FileReading(Struct, frozen=True):
    """A file that is read by a plan. survey: what one pass over all rows says about it.

    corrections: the cells of the table that are not those of the file.
    """

    table: Table
    plan: ImportPlan
    survey: Survey
    facts: AccountFacts
    sheet: str | None = None
    corrections: Corrections = NO_CORRECTIONS

    @property
    def layout(self) -> FileLayout:
        """How the file was read, as its batch keeps it."""
        return FileLayout.of(self.table, self.sheet, self.survey.rows)

    @property
    def sent_through(self) -> int | str:
        """The last issue whose copies count as sent if nobody decides otherwise.

        That is what the mapping says; else all that are out, unless the file says what was sent.
        """
        mapping = self.plan.mapping
        if mapping.sent_through:
            return mapping.sent_through
        says_sent = "sent_issues" in CompiledMapping(mapping, self.table.columns).gets
        return NONE if says_sent else RELEASED

    def rows(self) -> Iterator[PreparedRow]:
        """The orders of the file, one after the other."""
        return prepare(self.table, self.plan, self.survey, self.facts)


def read_table(
    path: Path,
    *,
    name: str,
    layout: FileLayout,
    plan: ImportPlan,
    facts: AccountFacts,
    corrections: Corrections = NO_CORRECTIONS,
) -> FileReading:
    """Open a file and look at all of its rows once; call it in a thread. Raises: Invalid."""
    table = open_table(path, name=name, sheet=layout.sheet, encoding=layout.encoding)
    return survey_table(table, plan, facts, sheet=layout.sheet, corrections=corrections)


def survey_table(
    table: Table,
    plan: ImportPlan,
    facts: AccountFacts,
    *,
    sheet: str | None = None,
    corrections: Corrections = NO_CORRECTIONS,
) -> FileReading:
    """Look at all rows of a table once; call it in a thread. Raises: Invalid."""
    mapping = answer_mapping(plan.mapping, plan.answers)
    corrected = correct_table(table, corrections)
    return FileReading(corrected, plan, survey(corrected, mapping), facts, sheet, corrections)


async def find_source(db: Connection, account_id: int, wanted: str) -> Source:
    """The source with an id, or with a name that only one has. Queries: one. Raises: Invalid."""
    known = await sources.list_all_sources(db, account_id)
    by_id = [each for each in known if each.id == wanted]
    named = [each for each in known if each.name.lower() == wanted.strip().lower()]
    if len(by_id) == 1 or len(named) == 1:
        return (by_id or named)[0]
    if named:
        message = (
            f"{len(named)} sources are called `{excerpt(wanted)}`. Use the id of one of them: "
            f"{', '.join(f'`{each.id}`' for each in named)}."
        )
    else:
        hint = closest(wanted, [each.name for each in known]) if known else ""
        message = (
            f"`source` `{excerpt(wanted)}` is not a source of this account.{hint} Use the id or "
            "the name of an active shop or import source from `masthead source list`; `masthead "
            "source create` adds one."
        )
    raise Invalid(message, code="invalid_source", field="source", value=wanted)


def survey(table: Table, mapping: ImportMapping) -> Survey:
    """What one pass over all rows says about a file, in constant memory.

    Raises: Invalid if the table does not have the columns of the mapping.
    """
    compiled = CompiledMapping(mapping, table.columns)
    surveyor = Surveyor(mapping, compiled, table.day_zero)
    for line in table.lines():
        surveyor.add(compiled.repair(line))
    return surveyor.survey()


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
