"""The form of the columns: which column of a file is which field, and how it becomes a plan."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs
from starlette.datastructures import FormData

from masthead.model.errors import Invalid
from masthead.model.imports.mapping import ADD_ZEROS, BY_INVOICE, ImportMapping
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.targets import TARGETS
from masthead.model.orders.released_issues import read_sent_through
from masthead.model.translations import gettext as _, gettext_noop
from masthead.web.imports.field_rows import FieldRow, field_row, read_rule
from masthead.web.imports.items_form import read_offers

# The fields that are asked about first, by the question that they answer
FIRST: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        gettext_noop("Who is it for?"),
        gettext_noop(
            "The name can be in one column or in two. An email address finds subscribers again."
        ),
        ("email", "full_name", "first_name", "last_name", "company"),
    ),
    (
        gettext_noop("Where is it sent?"),
        gettext_noop("Digital orders need no address."),
        ("address1", "address2", "postcode", "city", "state", "country"),
    ),
    (
        gettext_noop("What did they order, and from when on?"),
        gettext_noop(
            "A subscription needs a number of issues or its last issue, and its start issue or a "
            "date that gives it. "
            "A membership needs its months, or its first and last paid day. What the file does not "
            "say can be typed here, for all rows."
        ),
        (
            "product",
            "type",
            "medium",
            "length",
            "start_issue",
            "last_issue",
            "start_date",
            "interval_months",
            "period_start",
            "period_end",
            "status",
        ),
    ),
    (
        gettext_noop("Which order was it?"),
        gettext_noop(
            "Each order needs a date and a price. Rows without an order number get one that is "
            "made from their contents, the same one each time."
        ),
        ("order_id", "order_date", "price", "currency"),
    ),
)


class FieldGroup(Struct, frozen=True):
    """Fields under a heading. is_first: whether they are asked about first."""

    heading: str
    rows: list[FieldRow]
    hint: str = ""
    is_first: bool = False

    @property
    def count(self) -> int:
        """How many fields it has."""
        return len(self.rows)


class FieldGroups(Struct, frozen=True):
    """The fields by their groups: those with a value, and of the others those to ask about first.

    A group can be in several of the lists, each time with other fields.
    """

    filled: list[FieldGroup]
    first: list[FieldGroup]
    more: list[FieldGroup]


def field_groups(
    mapping: ImportMapping,
    columns: Sequence[str],
    examples: Mapping[str, Sequence[str]],
    countries: Iterable[tuple[str, str]],
) -> FieldGroups:
    """The fields of orders, as the form shows them."""
    countries = list(countries)

    def row(name: str) -> FieldRow:
        return field_row(name, mapping.columns.get(name), columns, examples, countries)

    groups = [
        FieldGroup(_(heading), [row(name) for name in names], _(hint), is_first=True)
        for heading, hint, names in FIRST
    ]
    asked = {name for _heading, _hint, names in FIRST for name in names}
    others: dict[str, list[FieldRow]] = {}
    for target in TARGETS.values():
        if target.name not in asked:
            others.setdefault(target.group, []).append(row(target.name))
    groups += [FieldGroup(_(group), rows) for group, rows in others.items()]
    unfilled = _with(groups, is_filled=False)
    return FieldGroups(
        filled=_with(groups, is_filled=True),
        first=[group for group in unfilled if group.is_first],
        more=[group for group in unfilled if not group.is_first],
    )


def _with(groups: Sequence[FieldGroup], *, is_filled: bool) -> list[FieldGroup]:
    """The groups with only those fields that have a value, or have none."""
    chosen = [
        structs.replace(group, rows=[row for row in group.rows if bool(row.source) is is_filled])
        for group in groups
    ]
    return [group for group in chosen if group.rows]


def read_mapping(fields: FormData, mapping: ImportMapping, columns: Sequence[str]) -> ImportMapping:
    """The mapping with what was chosen for each field."""
    rules = dict(mapping.columns)
    for name in TARGETS:
        rule = read_rule(fields, name, rules.get(name), columns)
        if rule is not None:
            rules[name] = rule
        elif name in rules:
            del rules[name]
    return structs.replace(mapping, columns=rules)


def require_statuses(fields: FormData) -> None:
    """Refuse the form while a status of the file has no meaning. Raises: Invalid."""
    unknown = [
        name.removeprefix("answer-status:")
        for name, value in fields.multi_items()
        if name.startswith("answer-status:") and not value
    ]
    if unknown:
        message = _(
            "Choose what these statuses mean, or leave their rows out: {statuses}. masthead does "
            "not know which of these subscriptions still run."
        )
        quoted = [_("“{text}”").format(text=each) for each in unknown]
        raise Invalid(message.format(statuses=", ".join(quoted)))


def read_plan(fields: FormData, plan: ImportPlan, columns: Sequence[str]) -> ImportPlan:
    """The plan with everything that the form of the columns says. Raises: Invalid."""
    mapping = read_offers(fields, read_mapping(fields, plan.mapping, columns))
    prefix = str(fields.get("order_prefix", "")).strip()
    asked = str(fields.get("sent_through", mapping.sent_through))
    through = read_sent_through(asked) if asked else ""
    answers = {
        name.removeprefix("answer-"): str(value)
        for name, value in fields.multi_items()
        if name.startswith("answer-")
    }
    return structs.replace(
        plan,
        mapping=structs.replace(
            mapping,
            order_prefix="",
            sent_through=through,
            unpaid=BY_INVOICE if fields.get("unpaid", mapping.unpaid) == BY_INVOICE else "",
            postcodes=ADD_ZEROS if "add_zeros" in fields else "",
        ),
        order_prefix=prefix,
        create_issues="create_issues" in fields,
        product_id=str(fields.get("product_id", "")) or None,
        answers={**plan.answers, **answers},
    )
