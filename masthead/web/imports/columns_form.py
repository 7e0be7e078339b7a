"""The form of the columns: which column of a file is which field, and how it becomes a plan."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs
from starlette.datastructures import FormData

from masthead.model.errors import excerpt
from masthead.model.imports.mapping import Mapping as ImportMapping
from masthead.model.imports.mapping import Rule
from masthead.model.imports.plan import ImportPlan
from masthead.model.imports.targets import TARGETS
from masthead.model.translations import gettext as _
from masthead.model.translations import gettext_noop
from masthead.model.types.enums import Medium, SubscriptionType
from masthead.model.types.text import is_digits
from masthead.web.imports.items_form import read_offers

KEEP = "keep"

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
            "A subscription needs a number of issues, and its start issue or a date that gives it. "
            "A membership needs its months, or its first and last paid day. What the file does not "
            "say can be typed here, for all rows."
        ),
        (
            "product",
            "type",
            "medium",
            "length",
            "start_issue",
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
TYPED = "length start_issue interval_months price currency order_date product status".split()
FLAGS = ("is_recurring", "is_gift", "is_comp")
YES_NO = (("yes", gettext_noop("yes")), ("no", gettext_noop("no")))


class FieldRow(Struct, frozen=True):
    """A field of orders on the form.

    choices: values and labels in groups; a group without a name comes first. constant: the typed
    text for all rows; None if nothing can be typed. examples: the first values of its columns.
    """

    name: str
    label: str
    choices: list[tuple[str, list[tuple[str, str]]]]
    chosen: str
    constant: str | None
    examples: str


class FieldGroup(Struct, frozen=True):
    """Fields under a heading. used: how many of them have a column."""

    heading: str
    rows: list[FieldRow]
    hint: str = ""

    @property
    def used(self) -> int:
        """How many fields are filled."""
        return sum(bool(row.chosen or row.constant) for row in self.rows)


def constants_of(name: str, countries: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The values that a field can have in all rows, with their labels."""
    if name == "country":
        return [(f"={code}", label) for code, label in countries]
    if name == "medium":
        return [(f"={each.value}", _(each.value)) for each in Medium]
    if name == "type":
        return [(f"={each.value}", _(each.value)) for each in SubscriptionType]
    if name in FLAGS:
        return [(f"={value}", _(label)) for value, label in YES_NO]
    return []


def field_groups(
    mapping: ImportMapping,
    columns: Sequence[str],
    examples: Mapping[str, Sequence[str]],
    countries: Iterable[tuple[str, str]],
) -> tuple[list[FieldGroup], list[FieldGroup]]:
    """The fields that are asked about first, and all others by their groups."""
    countries = list(countries)

    def row(name: str) -> FieldRow:
        return _field_row(name, mapping.columns.get(name), columns, examples, countries)

    first = [
        FieldGroup(_(heading), [row(name) for name in names], _(hint))
        for heading, hint, names in FIRST
    ]
    asked = {name for _heading, _hint, names in FIRST for name in names}
    others: dict[str, list[FieldRow]] = {}
    for target in TARGETS.values():
        if target.name not in asked:
            others.setdefault(target.group, []).append(row(target.name))
    return first, [FieldGroup(_(group), rows) for group, rows in others.items()]


def _field_row(
    name: str,
    rule: Rule | None,
    columns: Sequence[str],
    examples: Mapping[str, Sequence[str]],
    countries: Sequence[tuple[str, str]],
) -> FieldRow:
    chosen, constant = _chosen(rule, columns), ""
    fixed = constants_of(name, countries)
    if rule is not None and rule.constant:
        is_fixed = any(value == f"={rule.constant}" for value, _label in fixed)
        chosen = f"={rule.constant}" if is_fixed else "" if name in TYPED else KEEP
        constant = rule.constant
    named = [(f"c{place}", column) for place, column in enumerate(columns)]
    choices = [("", [("", _("not in the file"))])]
    if rule is not None and chosen == KEEP:
        choices.append((_("As now"), [(KEEP, describe_rule(rule, columns))]))
    choices.append((_("Columns of the file"), named))
    if fixed:
        choices.append((_("The same in all rows"), fixed))
    used = [column for column in (rule.named() if rule else ()) if column in columns]
    shown = [value for column in used for value in examples.get(column, ())][:3]
    return FieldRow(
        name=name,
        label=_(TARGETS[name].label),
        choices=choices,
        chosen=chosen,
        constant=constant if name in TYPED else None,
        examples=" · ".join(excerpt(value) for value in shown),
    )


def _chosen(rule: Rule | None, columns: Sequence[str]) -> str:
    """The value of the select for a rule."""
    if rule is None:
        return ""
    known = [name for name in rule.named() if name in columns]
    if not known:
        return ""
    is_plain = rule.columns and not (rule.prefix or rule.table or rule.packed)
    return f"c{columns.index(known[0])}" if is_plain and len(known) == 1 else KEEP


def describe_rule(rule: Rule, columns: Sequence[str]) -> str:
    """What a rule does, in words, with the columns that the file has."""
    known = [f"“{name}”" for name in rule.named() if name in columns]
    if rule.constant:
        return _("“{text}” in all rows").format(text=excerpt(rule.constant))
    if rule.join:
        text = " + ".join(known)
    elif rule.split:
        text = _("a part of {column}").format(column=known[0])
    elif rule.lookup:
        text = _("looked up by {column}").format(column=known[0])
    else:
        text = _(", otherwise ").join(known)
    return f"{rule.prefix}… {text}" if rule.prefix else text


def read_mapping(fields: FormData, mapping: ImportMapping, columns: Sequence[str]) -> ImportMapping:
    """The mapping with what was chosen for each field."""
    rules = dict(mapping.columns)
    for name in TARGETS:
        chosen = fields.get(f"column-{name}")
        typed = str(fields.get(f"constant-{name}", "")).strip()
        rule = rules.get(name)
        if not isinstance(chosen, str) or chosen == KEEP:
            continue
        if chosen.startswith("="):
            rules[name] = Rule(constant=chosen[1:])
        elif chosen[:1] == "c" and is_digits(chosen[1:], at_most=4):
            place = int(chosen[1:])
            if place < len(columns) and chosen != _chosen(rule, columns):
                rules[name] = Rule(columns=(columns[place],))
        elif typed:
            rules[name] = Rule(constant=typed)
        elif rule is not None and (rule.constant or _chosen(rule, columns)):
            del rules[name]
    return structs.replace(mapping, columns=rules)


def read_plan(fields: FormData, plan: ImportPlan, columns: Sequence[str]) -> ImportPlan:
    """The plan with everything that the form of the columns says. Raises: Invalid."""
    mapping = read_offers(fields, read_mapping(fields, plan.mapping, columns))
    prefix = str(fields.get("order_prefix", "")).strip()
    answers = {
        name.removeprefix("answer-"): str(value)
        for name, value in fields.multi_items()
        if name.startswith("answer-")
    }
    return structs.replace(
        plan,
        mapping=structs.replace(mapping, order_prefix=""),
        order_prefix=prefix,
        create_issues="create_issues" in fields,
        product_id=str(fields.get("product_id", "")) or None,
        answers={**plan.answers, **answers},
    )
