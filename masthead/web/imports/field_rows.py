"""A field of orders on the form of the columns: which column it comes from, by its rule."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, structs
from starlette.datastructures import FormData

from masthead.model.errors import excerpt
from masthead.model.imports.mapping import Rule
from masthead.model.imports.targets import TARGETS
from masthead.model.subscribers.greetings import describe_salutation
from masthead.model.translations import gettext as _, gettext_noop
from masthead.model.types.enums import Medium, Salutation, SubscriptionType
from masthead.model.types.text import is_digits

KEEP = "keep"
TYPED = "length start_issue interval_months price currency order_date product status".split()
TYPED += ["due_days", "order_reference"]
FLAGS = ("is_recurring", "is_gift", "is_comp", "is_billed")
FIXED = ("country", "payer_country", "medium", "type", *FLAGS)
JOINED = "full_name address1 address2 notes billing_full_name billing_address1".split()
JOINED += ["payer_name", "payer_address1"]
YES_NO = (("yes", gettext_noop("yes")), ("no", gettext_noop("no")))
Choices = list[tuple[str, str]]


class FieldRow(Struct, frozen=True):
    """A field of orders on the form.

    choices: values and labels in groups; a group without a name comes first. constant: the typed
    text for all rows, or for those in which the column is empty; None if nothing can be typed.
    if_empty: what can be chosen for rows in which the column is empty, and if_empty_chosen. joined:
    the columns that can follow in the same field, and joined_chosen. source: its columns, or the
    value of all rows. examples: the first values of its columns.
    """

    name: str
    label: str
    choices: list[tuple[str, Choices]]
    chosen: str
    constant: str | None
    if_empty: Choices
    if_empty_chosen: str
    joined: Choices
    joined_chosen: str
    source: str
    examples: str


def constants_of(name: str, countries: Iterable[tuple[str, str]]) -> Choices:
    """The values that a field can have in all rows, with their labels."""
    match TARGETS[name].kind:
        case "country":
            return list(countries)
        case "medium":
            return [(each.value, _(each.value)) for each in Medium]
        case "type":
            return [(each.value, _(each.value)) for each in SubscriptionType]
        case "salutation":
            return [
                *((each.value, describe_salutation(each)) for each in Salutation),
                ("none", _("none")),
            ]
        case "flag":
            return [(value, _(label)) for value, label in YES_NO]
    return []


def field_row(
    name: str,
    rule: Rule | None,
    columns: Sequence[str],
    examples: Mapping[str, Sequence[str]],
    countries: Sequence[tuple[str, str]],
) -> FieldRow:
    """The row of a field. examples: the first values, by column. countries: codes and names."""
    fixed = constants_of(name, countries) if name in FIXED else []
    chosen = _chosen(name, rule, columns)
    if rule is not None and rule.constant:
        is_fixed = any(value == rule.constant for value, _label in fixed)
        chosen = f"={rule.constant}" if is_fixed else "" if name in TYPED else KEEP
    named = [(f"c{place}", column) for place, column in enumerate(columns)]
    choices = [("", [("", _("not in the file"))])]
    if rule is not None and chosen == KEEP:
        choices.append((_("As now"), [(KEEP, describe_rule(rule, columns))]))
    choices.append((_("Columns of the file"), named))
    if fixed:
        same = [(f"={value}", label) for value, label in fixed]
        choices.append((_("The same in all rows"), same))
    used = [column for column in (rule.named() if rule else ()) if column in columns]
    shown = [value for column in used for value in examples.get(column, ())][:3]
    if_empty = rule.if_empty if rule else ""
    return FieldRow(
        name=name,
        label=_(TARGETS[name].label),
        choices=choices,
        chosen=chosen,
        constant=((rule and rule.constant) or if_empty) if name in TYPED else None,
        if_empty=_with_value(fixed, if_empty) if rule and _may_be_empty(rule) else [],
        if_empty_chosen=if_empty,
        joined=named if name in JOINED and chosen.startswith("c") else [],
        joined_chosen=_joined(rule, columns),
        source=", ".join(map(excerpt, used)) or (rule.constant if rule else ""),
        examples=" · ".join(excerpt(value) for value in shown),
    )


def _with_value(choices: Choices, value: str) -> Choices:
    """The choices, and a value of a mapping file that is not among them."""
    if not choices or not value or any(value == known for known, _label in choices):
        return choices
    return [*choices, (value, value)]


def _may_be_empty(rule: Rule) -> bool:
    """Whether a rule can say what an empty cell means: it has columns, and looks nothing up."""
    return bool(rule.named()) and not (rule.lookup or rule.table)


def _chosen(name: str, rule: Rule | None, columns: Sequence[str]) -> str:
    """The value of the select for a rule: a column, or KEEP for what the form cannot show."""
    if rule is None:
        return ""
    known = [column for column in rule.named() if column in columns]
    if not known:
        return ""
    is_filled = bool(rule.if_empty) and name not in (*TYPED, *FIXED)
    says_more = bool(rule.prefix or rule.table or rule.packed) or is_filled
    is_joined = name in JOINED and bool(rule.join) and rule.separator == " " and len(known) <= 2
    is_plain = is_joined or (bool(rule.columns) and len(known) == 1)
    return KEEP if says_more or not is_plain else f"c{columns.index(known[0])}"


def _joined(rule: Rule | None, columns: Sequence[str]) -> str:
    """The value of the select for the second column of a joined field; "" if there is none."""
    known = [column for column in (rule.join if rule else ()) if column in columns]
    return f"c{columns.index(known[1])}" if len(known) == 2 else ""


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
    text = f"{rule.prefix}… {text}" if rule.prefix else text
    if not rule.if_empty:
        return text
    return _("{text}, if empty “{value}”").format(text=text, value=excerpt(rule.if_empty))


def read_rule(
    fields: FormData, name: str, rule: Rule | None, columns: Sequence[str]
) -> Rule | None:
    """The rule of a field as the form says; None if the field has none."""
    chosen = fields.get(f"column-{name}")
    typed = str(fields.get(f"constant-{name}", "")).strip()
    if not isinstance(chosen, str):
        return rule
    if chosen.startswith("="):
        return Rule(constant=chosen[1:])
    if chosen == KEEP:
        return _if_empty(fields, name, rule, typed)
    place = _place(chosen, columns)
    if place is not None:
        rule = _read_columns(fields, name, rule, columns, place)
        return _if_empty(fields, name, rule, typed)
    if chosen:  # a column that the file does not have
        return rule
    if typed:
        return Rule(constant=typed)
    was_shown = rule is not None and (rule.constant or _chosen(name, rule, columns))
    return None if was_shown else rule


def _read_columns(
    fields: FormData, name: str, rule: Rule | None, columns: Sequence[str], place: int
) -> Rule:
    """The rule with the columns that were chosen; as it was if these did not change."""
    second = str(fields.get(f"joined-{name}", ""))
    was = _chosen(name, rule, columns), _joined(rule, columns)
    if rule is not None and was == (f"c{place}", second):
        return rule
    other = _place(second, columns)
    if other is None or other == place:
        return Rule(columns=(columns[place],))
    return Rule(join=(columns[place], columns[other]))


def _place(value: str, columns: Sequence[str]) -> int | None:
    """The place of the column that a select has; None if it has no column of the file."""
    if value[:1] != "c" or not is_digits(value[1:], at_most=4) or int(value[1:]) >= len(columns):
        return None
    return int(value[1:])


def _if_empty(fields: FormData, name: str, rule: Rule | None, typed: str) -> Rule | None:
    """The rule with what an empty cell means, if the form has that."""
    if rule is None or not _may_be_empty(rule):
        return rule
    if name in TYPED:
        return structs.replace(rule, otherwise=typed or None)
    value = fields.get(f"if-empty-{name}")
    return rule if value is None else structs.replace(rule, otherwise=str(value) or None)
