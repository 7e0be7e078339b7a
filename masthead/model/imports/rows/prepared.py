"""A prepared row: an order of a file, or why there is none."""

import re
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.plan import Problem
from masthead.model.imports.tabular_data import Line
from masthead.model.orders.order import Order
from masthead.model.translations import gettext as _

# The helpers that a field is made from, for the column that a reason names
_MADE_FROM = {
    "first_name": ("full_name", "last_name"),
    "last_name": ("full_name",),
    "company": ("first_name", "full_name", "last_name"),
    "start_issue": ("start_date", "order_date"),
    "length": ("last_issue", "product"),
    "interval_months": ("billing_period", "billing_interval"),
    "period_start": ("next_payment_date", "last_payment_date", "anniversary"),
    "period_end": ("next_payment_date", "last_payment_date", "anniversary"),
    "gifter_name": ("billing_full_name", "billing_first_name"),
    "gifter_email": ("email",),
}
# Fields of which an empty cell may mean the same in all rows, as if the file had no column
_SAME_IF_EMPTY = ("country", "length", "interval_months", "price")
_FIELD = re.compile(r"`(\w+)`")


class PreparedRow(Struct, kw_only=True):
    """One order of the file, or why there is none.

    lines: the rows that it comes from; more than one if later rows continue the first one.
    part: 1; 2 and more for further orders of the same lines, which have several products.
    order: None if the row is refused or left out.
    product_id, source_id: from the products of the mapping; None for those of the import.
    reasons: all the reasons against it. left_out: why it is left out and counted, or "".
    left_out_value: what it is counted by, such as the product without a match.
    warnings: what differs from what follows from the data, or what was assumed.
    fields: the values by field, for the preview and for messages.
    names: what the fields are called in the file, by field; the same dict in all rows.
    """

    lines: list[Line]
    part: int = 1
    order: Order | None = None
    product_id: str | None = None
    source_id: str | None = None
    reasons: list[Problem] = []
    left_out: str = ""
    left_out_value: str = ""
    warnings: list[str] = []
    fields: dict[str, Any] = {}
    names: dict[str, str] = {}

    def problem_of(self, refusal: Invalid) -> Problem:
        """A refusal of this row or its order, with the names of the file's columns."""
        return problem_of(refusal, self.names)


def problems_of(refusals: Sequence[Invalid], names: dict[str, str]) -> list[Problem]:
    """The reasons against a row, each once. names: of the file's columns, by field.

    Without a field that is missing only because the value that it is made from is refused.
    """
    refused = {refusal.field for refusal in refusals if refusal.value != ""}
    found = (
        problem_of(refusal, names)
        for refusal in refusals
        if refusal.value != "" or refused.isdisjoint(_MADE_FROM.get(refusal.field, ()))
    )
    return list({(problem.column, problem.text): problem for problem in found}.values())


def problem_of(refusal: Invalid, names: dict[str, str]) -> Problem:
    """A refusal with the names of the file's columns. names: by field."""
    text = _FIELD.sub(lambda match: f"`{names.get(match[1], match[1])}`", str(refusal))
    if refusal.code == "unknown_start_issue":
        text = f"{text} " + _("Or let the import create the issues that do not exist yet.")
    field = refusal.field
    is_single = field in names and f"billing_{field}" not in names
    if is_single and field in _SAME_IF_EMPTY and refusal.value == "":
        message = _(
            "If an empty cell means the same in all rows, type or choose it beside the column "
            "under “if empty”, or write `otherwise` in a mapping."
        )
        text = f"{text} {message}"
    made_from = (field, f"billing_{field}", *_MADE_FROM.get(field, ()))
    column = next((names[name] for name in made_from if name in names), None)
    if column is None:
        column = field
        if names and field and refusal.value == "" and field not in names.values():
            text = f"{text} " + _("No column of the file is mapped to it.")
    return Problem(column, excerpt(refusal.value), text)
