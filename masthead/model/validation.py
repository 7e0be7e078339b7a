"""Validates JSON values and query parameters, and converts them to the structs of `inputs`."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from enum import Enum
from itertools import chain, islice
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from masthead.model.errors import MAX_ERRORS, Invalid, all_of, excerpt
from masthead.model.input_fields import Field, fields_of
from masthead.model.inputs import MAX_IDS, Body, Change, Creation, Query
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import clean, one_line
from masthead.model.types.messages import closest, shown
from masthead.model.types.text import MAX_DIGITS, is_digits, short_text

B = TypeVar("B", bound=Creation | Change)
Q = TypeVar("Q", bound=Query)


def decode_input(struct: type[B], raw: Mapping[str, object]) -> B:
    """The struct with the values of a JSON object, trimmed and validated.

    Raises: Invalid, with `unknown_field` or `validation_error`, and with the errors of all fields.
    """
    try:
        return _decode(struct, raw)
    except Invalid as first:
        told = {str(each) for each in first.all}
        others = (each for each in _list_errors(struct, raw) if str(each) not in told)
        raise all_of(chain(first.all, others)) from None


def _decode(struct: type[B], raw: Mapping[str, object]) -> B:
    """The struct. Raises: Invalid, which is the first error."""
    fields = fields_of(struct)
    for name in raw:
        if name not in fields:
            raise _unknown_field(struct, name)
    decoded: B = _convert(struct, fields, dict(_tidied(struct, fields, raw)))
    for name, field in fields.items():
        if name in raw:
            setattr(decoded, name, field.check(getattr(decoded, name)))
    return decoded


def _list_errors(struct: type[Body], raw: Mapping[str, object]) -> Iterator[Invalid]:
    """The errors of values, of missing fields, of combinations of fields, and of unknown fields."""
    fields = fields_of(struct)
    values, errors = decode_each(struct, raw)
    missing = [field for field in fields.values() if field.is_required and field.name not in raw]
    errors += [_missing(field) for field in missing]
    yield from errors
    refused = {error.field.partition("[")[0] for error in errors}
    yield from struct.list_conflicts(values, refused)
    for name in raw:
        if name not in fields:
            yield _unknown_field(struct, name)


def _unknown_field(struct: type[Body], name: str) -> Invalid:
    hint = struct.elsewhere.get(name) or closest(name, fields_of(struct)).lstrip()
    message = f"`{excerpt(name)}` is not a field that can be set here. {hint}"
    return Invalid(message, code="unknown_field", field=name)


def list_refusals(struct: type[Body], raw: Mapping[str, object]) -> list[Invalid]:
    """The errors of all values, each checked by itself, for forms.

    Unknown and missing fields are ignored: `decode_input` refuses them.
    """
    return decode_each(struct, raw)[1]


def decode_each(
    struct: type[Body], raw: Mapping[str, object]
) -> tuple[dict[str, Any], list[Invalid]]:
    """The values that are valid by themselves, and the errors of the others."""
    fields, values, refusals = fields_of(struct), dict[str, Any](), list[Invalid]()
    for name in (name for name in fields if name in raw):
        field = fields[name]
        try:
            for tidied in dict(_tidied(struct, fields, {name: raw[name]})).values():
                _explain(field, {name: tidied})
                values[name] = field.check(msgspec.convert(tidied, field.hint))
        except Invalid as reason:
            refusals += reason.all
    return values, refusals


def _tidied(
    struct: type[Body], fields: Mapping[str, Field], raw: Mapping[str, object]
) -> Iterable[tuple[str, object]]:
    """The values with trimmed texts. Values that count as absent are left out."""
    for name, value in raw.items():
        field, tidy = fields[name], value
        if isinstance(value, str):
            tidy = value if field.is_day else clean(value, field.max_length)
        elif isinstance(value, list) and field.holds_records:
            tidy = _decode_records(field, value)
        elif isinstance(value, list) and field.element and field.element.kind is not int:
            tidy = [one_line(each) if isinstance(each, str) else each for each in value]
        if struct.blank_is_absent and not field.is_required:
            if tidy is None or (tidy == "" and not field.is_day):
                continue
        elif tidy == "" and field.is_required and field.kind is str:
            raise Invalid(_("`{field}` is empty; it is required.").format(field=name), field=name)
        yield name, tidy


def _decode_records(field: Field, values: list[object]) -> list[object]:
    """The objects of a list as structs. Raises: Invalid, which names the first invalid one."""
    assert field.element is not None
    most = next(meta.max_length for meta in field.meta if meta.max_length)
    decoded, errors = list[object](), list[Invalid]()
    for place, value in enumerate(values[:most]):
        try:
            decoded.append(_decode_record(f"{field.name}[{place}]", field.element.kind, value))
        except Invalid as reason:
            errors += reason.all
            if len(errors) >= MAX_ERRORS:
                break
    if errors:
        raise all_of(errors)
    return decoded + values[most:]


def _decode_record(name: str, kind: type[Creation], value: object) -> Creation:
    """One object of a list. name: its place. Raises: Invalid."""
    if not isinstance(value, dict):
        raise Invalid(f"`{name}` is {shown(value)}; expected an object.", field=name)
    try:
        return decode_input(kind, value)
    except Invalid as reason:
        raise all_of(
            [
                Invalid(f"In `{name}`: {each}", code=each.code, field=f"{name}.{each.field}")
                for each in reason.all
            ]
        ) from None


def decode_query(struct: type[Q], pairs: Iterable[tuple[str, str]]) -> Q:
    """The struct with the parameters of a query string.

    Raises: Invalid, with `unknown_parameter` or `validation_error`, and with the errors of all
    parameters.
    """
    fields, values, errors = fields_of(struct), dict[str, object](), dict[str, Invalid]()
    for name, text in pairs:
        try:
            if name in values:
                text = _("`{field}` appears more than once; send it once.").format(field=name)
                is_list = name in fields and fields[name].element
                raise Invalid(f"{text} {fields[name].advice}" if is_list else text, field=name)
            values[name] = text
            values[name] = _decode_parameter(struct, name, text)
        except Invalid as error:
            errors.setdefault(name, error)
            if len(errors) >= MAX_ERRORS:
                break
    if errors:
        others = [field for field in fields.values() if field.name not in errors]
        raise all_of([*errors.values(), *_list_invalid(others, values)])
    query: Q = _convert(struct, fields, values)
    return query


def _decode_parameter(struct: type[Query], name: str, text: str) -> object:
    """A parameter converted to the type of its field, if that is possible. Raises: Invalid."""
    fields = fields_of(struct)
    if name not in fields:
        hint = struct.elsewhere.get(name) or closest(name, fields).lstrip()
        message = f"`{excerpt(name)}` is not a parameter of this path. {hint}"
        raise Invalid(message, code="unknown_parameter", field=name)
    if "\0" in text:
        message = _("`{field}` contains the character NUL, which is not allowed.")
        raise Invalid(message.format(field=name), field=name)
    return _from_text(fields[name], text)


def _from_text(field: Field, text: str) -> object:
    """A parameter converted to the type of its field; the text itself if that is not possible.

    Several values are separated by commas. They are sorted, so that equal filters are equal.
    """
    if field.element:
        parts = text.split(",")
        for part in parts:
            _explain(structs.replace(field.element, advice=field.advice), {field.name: part})
        return sorted(set(parts))
    if field.kind is int and is_digits(text, at_most=MAX_DIGITS):
        return int(text)
    if field.kind is bool and text in ("true", "false"):
        return text == "true"
    tidy = text.strip() if field.tidy else text
    if field.kind is str and not any(meta.max_length for meta in field.meta):
        short_text(field.name, tidy, field.max_length)
    tidy = str(field.tidy(tidy)) if field.tidy else tidy
    if field.is_day:
        with suppress(msgspec.ValidationError):
            return field.check(msgspec.convert(tidy, field.hint))
    return field.rule(field.name, tidy) if field.rule and field.kind in (str, datetime) else tidy


def _convert(struct: Any, fields: Mapping[str, Field], values: dict[str, object]) -> Any:
    try:
        return msgspec.convert(values, struct)
    except msgspec.ValidationError:
        raise all_of(_list_invalid(fields.values(), values)) from None


def _list_invalid(fields: Iterable[Field], values: Mapping[str, object]) -> Iterator[Invalid]:
    """The errors of missing fields and of values of the wrong type or size."""
    for field in fields:
        try:
            _explain(field, values)
        except Invalid as error:
            yield from error.all


def _explain(field: Field, values: Mapping[str, object]) -> None:
    """Raises: Invalid if the value of this field is missing or invalid."""
    if field.name not in values:
        if field.is_required:
            raise _missing(field)
        return
    value = values[field.name]
    try:
        msgspec.convert(value, field.hint)
    except msgspec.ValidationError:
        raise _unexpected(field, value) from None


def _missing(field: Field) -> Invalid:
    message = _("`{field}` is required, but missing; expected {expected}.")
    text = message.format(field=field.name, expected=_expectation(field))
    return Invalid(f"{text} {field.advice}".rstrip(), field=field.name)


def _unexpected(field: Field, value: object) -> Invalid:
    """The error of a value of the wrong type or size; for a list, those of its elements."""
    message, expected = _("`{field}` is {value}; expected {expected}."), _expectation(field)
    told = [(field.name, message.format(field=field.name, value=shown(value), expected=expected))]
    if isinstance(value, list) and field.element:
        told = [
            (name, message.format(field=name, value=shown(each), expected=expected))
            for name, each in islice(_list_wrong(field, field.element, value), MAX_ERRORS)
        ]
        size = _("`{field}` has {count} elements; expected {expected}.")
        text = size.format(field=field.name, count=len(value), expected=expected)
        told = told or [(field.name, text)]
    return all_of(
        [Invalid(f"{text} {field.advice}".rstrip(), field=name, value=value) for name, text in told]
    )


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
    if isinstance(field.kind, type) and issubclass(field.kind, Enum):
        names = ", ".join(f"`{each.value}`" for each in field.kind)
        return _("one of {names}").format(names=names)
    if field.element:
        whole = "whole numbers" if field.element.kind is int else "texts"
        if field.holds_records:
            whole = "objects"
        if isinstance(field.element.kind, type) and issubclass(field.element.kind, Enum):
            whole = f"values, each {_expectation(field.element)}"
        return f"a list of {limits['min_length']} to {limits['max_length']} {whole}"
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
