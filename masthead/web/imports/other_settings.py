"""What a mapping says that the page of the columns has no fields for; it stays as it is."""

from collections.abc import Iterable

from masthead.model.errors import excerpt
from masthead.model.imports.mapping import ImportMapping
from masthead.model.imports.targets import TARGETS
from masthead.model.translations import gettext as _


def describe_settings(mapping: ImportMapping) -> list[str]:
    """A sentence for each setting that the form does not show."""
    return [
        *_describe_orders(mapping),
        *_describe_left_out(mapping),
        *_describe_values(mapping),
    ]


def _describe_orders(mapping: ImportMapping) -> list[str]:
    found = []
    if mapping.continues:
        text = _("Rows in which {columns} is empty belong to the order above.")
        found.append(text.format(columns=_quoted([mapping.continues])))
    if mapping.groups:
        text = _("Rows one after the other with the same {columns} are one order.")
        found.append(text.format(columns=_quoted(mapping.groups)))
    if mapping.order_id_from:
        text = _("Orders without a number get one from {columns}.")
        found.append(text.format(columns=_quoted(mapping.order_id_from)))
    return found


def _describe_left_out(mapping: ImportMapping) -> list[str]:
    found = []
    for column, values in mapping.only.items():
        text = _("Only rows in which {column} is {values} are imported.")
        found.append(text.format(column=_quoted([column]), values=_quoted(values)))
    for column, values in mapping.never.items():
        text = _("Rows in which {column} is {values} are left out.")
        found.append(text.format(column=_quoted([column]), values=_quoted(values)))
    if mapping.positive:
        text = _("Rows in which one of these is not above zero are left out: {fields}.")
        found.append(text.format(fields=_labels(mapping.positive)))
    if mapping.has_one_of:
        text = _("Rows in which all of these are empty are left out: {fields}.")
        found.append(text.format(fields=_labels(mapping.has_one_of)))
    return found


def _describe_values(mapping: ImportMapping) -> list[str]:
    choices = {
        "day_first": _("Dates have the day first."),
        "month_first": _("Dates have the month first."),
        ".": _("The decimal mark is a point."),
        ",": _("The decimal mark is a comma."),
        "by_name": _("Orders for another name than the buyer's are gifts."),
        "no": _("Orders for another name than the buyer's are no gifts."),
    }
    asked = (mapping.date_order, mapping.decimal_mark, mapping.gifts)
    found = [choices[each] for each in asked if each in choices]
    if mapping.time_zone:
        text = _("Moments are in the time zone {zone}.")
        found.append(text.format(zone=mapping.time_zone))
    if mapping.medium_without_address:
        text = _("Orders without a street and a country are {medium}.")
        found.append(text.format(medium=_(mapping.medium_without_address)))
    if mapping.status:
        text = _("Statuses: {meanings}.")
        means = (f"“{excerpt(it)}” = {_(ours)}" for it, ours in mapping.status.items())
        found.append(text.format(meanings=", ".join(means)))
    for field, meanings in mapping.values.items():
        means = (f"“{excerpt(it)}” = {_(ours)}" for it, ours in meanings.items())
        found.append(f"{_(TARGETS[field].label)}: {', '.join(means)}.")
    return found


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"“{excerpt(name)}”" if name else _("empty") for name in names)


def _labels(fields: Iterable[str]) -> str:
    return ", ".join(_(TARGETS[name].label) for name in fields)
