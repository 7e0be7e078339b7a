"""The first rows of a file as they would be, and what keeps all of them from being imported."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from masthead.model.errors import Invalid
from masthead.model.imports.made_order_ids import is_made
from masthead.model.imports.plan import AccountFacts, ImportPlan, Question, Survey
from masthead.model.imports.rows.prepared import PreparedRow
from masthead.model.imports.tabular_data import Table
from masthead.model.orders.period_coverage import DatedIssue, Issues, cover
from masthead.model.translations import gettext as _
from masthead.services.imports.reading import prepare

SHOWN = 20  # rows
NAMED = 5  # reasons


def prepare_shown(
    table: Table, plan: ImportPlan, survey: Survey, facts: AccountFacts
) -> list[PreparedRow]:
    """The first rows. Those with an issue that does not exist are refused, as by the rehearsal.

    Raises: Invalid if the table does not have the columns of the mapping.
    """
    rows = list(islice(prepare(table, plan, survey, facts), SHOWN))
    if not plan.create_issues:
        issues = Issues(DatedIssue("", each.number, each.release_date) for each in facts.issues)
        for row in rows:
            _refuse_unknown_issue(row, issues)
    _mark_repeated(rows)
    return rows


def _refuse_unknown_issue(row: PreparedRow, issues: Issues) -> None:
    """Refuse the row if its order begins with an issue that does not exist."""
    if row.order is None or row.order.renews:
        return
    try:
        cover(row.order, issues)
    except Invalid as refusal:
        row.reasons = [row.problem_of(refusal)]
        row.order = None


def _mark_repeated(rows: Sequence[PreparedRow]) -> None:
    """Say of each row whose order number an earlier one has that it is in the file twice."""
    lines = dict[str, int]()
    for row in rows:
        if row.order is None:
            continue
        line = row.lines[0].number
        first = lines.setdefault(row.order.order_id, line)
        if first == line:
            continue
        text = (
            _("Line {line} is the same order. It is imported only once.")
            if is_made(row.order.order_id)
            else _("Line {line} has the same order number. It is imported only once.")
        )
        row.warnings = [*row.warnings, text.format(line=first)]


def find_obstacles(rows: Sequence[PreparedRow], questions: Sequence[Question]) -> list[str]:
    """Why not one of the rows can be imported: the columns that most of them are refused for.

    Each column has one reason, although it may differ by row: it may quote the cell. Columns that
    the page asks about have none: the question says it.
    """
    asked = {column for question in questions for column in question.columns}
    refused = [row for row in rows if row.reasons]
    if any(row.order for row in rows):
        return []
    texts = dict[str, Counter[str]]()
    for row in refused:
        reasons = {each.column: each.text for each in row.reasons if each.column not in asked}
        for column, text in reasons.items():
            texts.setdefault(column, Counter())[text] += 1
    frequent = [counts for counts in texts.values() if counts.total() * 2 >= len(refused)]
    return [counts.most_common(1)[0][0] for counts in frequent[:NAMED]]
