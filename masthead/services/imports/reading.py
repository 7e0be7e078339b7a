"""Read the file of an import by its plan: what is known about the account, and its rows."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.batches import FileLayout
from masthead.model.imports.mapping import answer_mapping
from masthead.model.imports.plan import AccountFacts, ImportPlan, Survey
from masthead.model.imports.tabular_data import Table
from masthead.model.resources import Source
from masthead.model.types.messages import closest
from masthead.services.imports.prepare import PreparedRow, prepare, survey
from masthead.services.imports.table import open_table
from masthead.store import sources
from masthead.store.engine.interface import Connection


class FileReading(Struct, frozen=True):
    """A file that is read by a plan. survey: what one pass over all rows says about it."""

    table: Table
    plan: ImportPlan
    survey: Survey
    facts: AccountFacts
    sheet: str | None = None

    @property
    def layout(self) -> FileLayout:
        """How the file was read, as its batch keeps it."""
        return FileLayout(
            description=self.table.description,
            columns=tuple(self.table.columns),
            separator=self.table.separator,
            sheet=self.sheet,
            encoding=self.table.encoding,
            total=self.survey.rows,
        )

    def rows(self) -> Iterator[PreparedRow]:
        """The orders of the file, one after the other."""
        return prepare(self.table, self.plan, self.survey, self.facts)


def read_table(
    path: Path, *, name: str, layout: FileLayout, plan: ImportPlan, facts: AccountFacts
) -> FileReading:
    """Open a file and look at all of its rows once; call it in a thread. Raises: Invalid."""
    table = open_table(path, name=name, sheet=layout.sheet, encoding=layout.encoding)
    return survey_table(table, plan, facts, sheet=layout.sheet)


def survey_table(
    table: Table, plan: ImportPlan, facts: AccountFacts, *, sheet: str | None = None
) -> FileReading:
    """Look at all rows of a table once; call it in a thread. Raises: Invalid."""
    mapping = answer_mapping(plan.mapping, plan.answers)
    return FileReading(table, plan, survey(table, mapping), facts, sheet)


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
