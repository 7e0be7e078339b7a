"""Read the uploaded file of an import: its columns, its first rows, and what all rows say."""

from collections.abc import Sequence
from datetime import date
from itertools import islice

from msgspec import Struct

from masthead.model.debits.imported import without_iban
from masthead.model.errors import Invalid
from masthead.model.imports.batches import ImportBatch
from masthead.model.imports.issue_dates import CURRENT, NEXT, StartIssues
from masthead.model.imports.plan import AccountFacts, ImportPlan, Survey
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.tabular_data import FileLayout, Table
from masthead.model.imports.targets import REPORT
from masthead.model.translations import gettext as _
from masthead.services.imports.reading import prepare
from masthead.services.imports.work.open_uploads import OpenUpload
from masthead.web.kit.connected import while_connected
from masthead.web.kit.context import PageContext

EXAMPLES = 3  # values of a column
LOOKED_AT = 200  # rows, for examples
SAMPLES = 10  # dates


class DateSample(Struct, frozen=True):
    """A day in the file, and the start issue by each rule; None if there is none."""

    day: date
    current: int | None
    next: int | None


class UploadFindings(Struct, frozen=True):
    """What the page of the columns says about a file.

    examples: the first values, by column. samples: dates
    with the issues that they may mean. obstacles: why not one of the first rows can be imported.
    problem: why the rows cannot be surveyed.
    """

    examples: dict[str, list[str]]
    survey: Survey
    samples: Sequence[DateSample] = ()
    obstacles: Sequence[str] = ()
    problem: str = ""


async def open_upload(
    context: PageContext, batch: ImportBatch, layout: FileLayout | None = None
) -> OpenUpload:
    """The uploaded file of an import. layout: if it is another than before. Raises: Invalid."""
    chosen = layout or batch.layout
    opened = context.web.uploads.open(
        context.web.db, context.account_id, batch, sheet=chosen.sheet, encoding=chosen.encoding
    )
    return await while_connected(context, opened)


def require_columns(plan: ImportPlan) -> None:
    """Raises: Invalid if no column of the file is used for anything yet."""
    if not plan.mapping.columns:
        raise Invalid(
            _("None of the columns was recognized. Choose which column is the name, and so on.")
        )


def list_unused(plan: ImportPlan, columns: Sequence[str]) -> list[str]:
    """The columns of a file that nothing is read from, without those of a report."""
    used = {*plan.mapping.named(), *REPORT}
    return [name for name in columns if name not in used]


def find_examples(table: Table) -> dict[str, list[str]]:
    """The first values of each column, each one once."""
    found: dict[str, list[str]] = {name: [] for name in table.columns}
    for line in islice(table.lines(), LOOKED_AT):
        for name, cell in zip(table.columns, line.cells, strict=False):
            text = without_iban(cell.strip())
            if text and len(found[name]) < EXAMPLES and text not in found[name]:
                found[name].append(text)
    return found


def find_samples(
    table: Table, plan: ImportPlan, survey: Survey, facts: AccountFacts
) -> list[DateSample]:
    """The first days of orders, each with the start issue by each rule."""
    rules = [StartIssues(facts.issues, rule) for rule in (CURRENT, NEXT)]
    days: dict[date, None] = {}
    for row in islice(prepare(table, plan, survey, facts), LOOKED_AT):
        day = _day_of(row)
        if day is not None:
            days.setdefault(day)
        if len(days) == SAMPLES:
            break
    return [DateSample(day, *(_issue_of(rule, day) for rule in rules)) for day in days]


def _day_of(row: PreparedRow) -> date | None:
    """The day that gives the start issue of a row."""
    given = (row.fields.get(name) for name in ("start_date", "period_start", "order_date"))
    found = next((day for day in given if isinstance(day, date)), None)
    return found or (row.order.order_date if row.order else None)


def _issue_of(rule: StartIssues, day: date) -> int | None:
    try:
        return rule.find(day)
    except Invalid:
        return None
