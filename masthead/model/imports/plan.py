"""The plan of an import: how its file is read, what is asked first, and why rows are refused."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from masthead.model.imports.mapping import ImportMapping
from masthead.model.orders.order import OrderDefaults
from masthead.model.translations import gettext as _


class ImportPlan(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a file is imported; stored as JSON with its batch.

    preset: its name, if one was chosen. mapping: complete, with the fields of the preset.
    order_prefix: put before each order id; it replaces that of the mapping.
    create_issues: whether to create missing issues instead of refusing their rows.
    product_id: the product of rows whose item names none; None for that of imported orders.
    answers: to the questions of the survey, by their ids; see `mapping.answer_mapping`.
    """

    mapping: ImportMapping = ImportMapping()
    preset: str | None = None
    order_prefix: str = ""
    create_issues: bool = False
    product_id: str | None = None
    answers: dict[str, str] = {}


class IssueDates(Struct, frozen=True):
    """An issue of the account, for rules that turn dates into issues."""

    number: int
    release_date: date | None = None
    date_as_start_issue: date | None = None


class AccountFacts(Struct, frozen=True, kw_only=True):
    """What rows are read with. It is the same for all rows of an import.

    today: the day in the account's time zone. country: that of the account, for digital orders
    without one. products, sources: ids by name and by id. taken_as_sent: the numbers of the issues
    that are out whose copies count as sent.
    """

    defaults: OrderDefaults
    time_zone: str = "UTC"
    country: str | None = None
    today: date
    issues: Sequence[IssueDates] = ()
    products: dict[str, str] = {}
    sources: dict[str, str] = {}
    taken_as_sent: frozenset[int] = frozenset()


class Problem(Struct, frozen=True):
    """Why a row is refused. column: as it is called in the file; a field if no column gives it."""

    column: str
    value: str
    text: str


class Choice(Struct, frozen=True):
    """An answer to a question. value: what `ImportPlan.answers` gets."""

    value: str
    label: str


class Question(Struct, frozen=True, kw_only=True):
    """What the file leaves open. Rows that depend on it are refused until it is answered.

    id: the key in `ImportPlan.answers`. default: the value of a choice that is proposed; "" if
    none is. columns: the columns it is about. examples: cells that leave doubt.
    """

    id: str
    text: str
    choices: tuple[Choice, ...]
    default: str = ""
    columns: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()


def ask_start_issue(default: str) -> Question:
    """Which issue subscriptions start with, if no column says so."""
    choices = (
        Choice("current", _("The issue on sale on the day of the order")),
        Choice("next", _("The issue after that day")),
    )
    text = _("Which issue does a subscription start with?")
    return Question(id="start_issue_rule", text=text, choices=choices, default=default)


class Survey(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one pass over all rows says about a file.

    rows: the number of rows. date_orders: `day_first`, `month_first` or "" (doubtful) by column,
    for columns with dates such as 01/02/2026. decimal_marks: `.`, `,` or "" (doubtful) by column,
    for columns with amounts such as 1.234. unix_columns: those whose dates are all seconds or
    milliseconds since 1970. day_zero: as that of the table. questions: what must be answered first.
    unmatched: how many rows have each value without a match, by column; at most 200 values each.
    statuses, items: how many rows have each status and each product; at most 200 values each.
    notes: sentences about the file, such as how its dates are read.
    """

    rows: int = 0
    date_orders: dict[str, str] = {}
    decimal_marks: dict[str, str] = {}
    unix_columns: tuple[str, ...] = ()
    day_zero: date | None = None
    questions: tuple[Question, ...] = ()
    unmatched: dict[str, dict[str, int]] = {}
    statuses: dict[str, int] = {}
    items: dict[str, int] = {}
    notes: tuple[str, ...] = ()
