"""The errors of the values of single fields, in words."""

from collections.abc import Iterator
from itertools import islice

import msgspec

from masthead.model.errors import MAX_ERRORS, Invalid, all_of
from masthead.model.input_fields import Field
from masthead.model.inputs import MAX_IDS
from masthead.model.meant_values import meant
from masthead.model.translations import gettext as _
from masthead.model.types.messages import shown


def missing(field: Field) -> Invalid:
    """The error of a required field that is absent."""
    message = _("`{field}` is required, but missing; expected {expected}.")
    text = message.format(field=field.name, expected=_expectation(field))
    return Invalid(f"{text} {field.advice}".rstrip(), field=field.name)


def unexpected(field: Field, value: object) -> Invalid:
    """The error of a value of the wrong type or size; for a list, those of its elements."""
    wrong = [(field.name, _wrong(field, field.name, value))]
    if isinstance(value, list) and field.element:
        wrong = [
            (name, _wrong(field.element, name, each))
            for name, each in islice(_list_wrong(field, field.element, value), MAX_ERRORS)
        ]
        size = _("`{field}` has {count} elements; expected {expected}.")
        text = size.format(field=field.name, count=len(value), expected=_expectation(field))
        wrong = wrong or [(field.name, text)]
    return all_of(
        [
            Invalid(f"{text} {field.advice}".rstrip(), field=name, value=value)
            for name, text in wrong
        ]
    )


def _wrong(field: Field, name: str, value: object) -> str:
    """What is wrong with a value. name: that of the field, with the place in its list."""
    message = _("`{field}` is {value}; expected {expected}.")
    text = message.format(field=name, value=shown(value), expected=_expectation(field))
    return f"{text} {_way_out(field, value)}".rstrip()


def _way_out(field: Field, value: object) -> str:
    """What to send instead, unless the advice of the field says it."""
    if value is None:
        return field.null_advice
    return "" if field.advice and field.kind is str else meant(field, value)


def _list_wrong(field: Field, element: Field, values: list[object]) -> Iterator[tuple[str, object]]:
    """The elements of a list that have the wrong type, by their place. Records are valid."""
    for place, value in enumerate([] if field.holds_records else values[:MAX_IDS]):
        try:
            msgspec.convert(value, element.hint)
        except msgspec.ValidationError:
            yield f"{field.name}[{place}]", value


def _expectation(field: Field) -> str:
    """The values that a field accepts, in words."""
    limits = {
        name: getattr(meta, name)
        for meta in field.meta
        for name in ("ge", "le", "min_length", "max_length")
        if getattr(meta, name) is not None
    }
    if field.is_choice:
        names = ", ".join(f"`{each.value}`" for each in field.kind)
        return _("one of {names}").format(names=names)
    if field.element:
        whole = "whole numbers" if field.element.kind is int else "texts"
        if field.holds_records:
            whole = "objects"
        if field.element.is_choice:
            whole = f"values, each {_expectation(field.element)}"
        return f"a list of {limits['min_length']} to {limits['max_length']} {whole}"
    if field.kind is int and not limits:
        return "a whole number"
    if field.kind is int:
        return _("a whole number from {least} to {most}").format(
            least=limits["ge"], most=limits["le"]
        )
    if field.kind is str:
        least, most = limits.get("min_length", 0), limits.get("max_length")
        if most:
            return _("text of at most {most} characters").format(most=most)
        return _("text that is not empty") if least else _("text")
    return _("true or false") if field.kind is bool else _("a date as YYYY-MM-DD")
