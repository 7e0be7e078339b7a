"""Validates JSON values and query parameters, and converts them to the structs of `inputs`."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from itertools import chain
from typing import Any, TypeVar

import msgspec
from msgspec import structs

from masthead.model.advice import SYNONYMS
from masthead.model.errors import MAX_ERRORS, Invalid, all_of, excerpt
from masthead.model.field_errors import missing, unexpected
from masthead.model.input_fields import Field, fields_of, postal_names
from masthead.model.inputs import Body, Change, Creation, Query
from masthead.model.translations import gettext as _
from masthead.model.types.clean_text import clean, one_line
from masthead.model.types.damaged_texts import repair_texts
from masthead.model.types.messages import closest, did_you_mean, shown
from masthead.model.types.text import MAX_DIGITS, is_digits, short_text

B = TypeVar("B", bound=Creation | Change)
Q = TypeVar("Q", bound=Query)


def decode_input(struct: type[B], raw: Mapping[str, object]) -> B:
    """The struct with the values of a JSON object, trimmed, repaired and validated.

    Raises: Invalid, with `unknown_field` or `validation_error`, and with the errors of all fields.
    """
    try:
        return _decode(struct, raw)
    except Invalid as first:
        listed = {str(each) for each in first.all}
        others = (each for each in _list_errors(struct, raw) if str(each) not in listed)
        raise all_of(chain(first.all, others)) from None


def _decode(struct: type[B], raw: Mapping[str, object]) -> B:
    """The struct. Raises: Invalid, which is the first error."""
    fields = fields_of(struct)
    for name in raw:
        if name not in fields:
            raise _unknown_field(struct, name)
    repaired, lost = repair_texts(raw, postal_names(struct))
    if lost:
        raise lost[0]
    raw = {**raw, **repaired} if repaired else raw
    decoded: B = _convert(struct, fields, dict(_tidied(struct, fields, raw)))
    for name, field in fields.items():
        if name in raw:
            setattr(decoded, name, field.check(getattr(decoded, name)))
    return decoded


def _list_errors(struct: type[Body], raw: Mapping[str, object]) -> Iterator[Invalid]:
    """The errors of values, of missing fields, of combinations of fields, and of unknown fields."""
    fields = fields_of(struct)
    values, errors = decode_each(struct, raw)
    absent = [field for field in fields.values() if field.is_required and field.name not in raw]
    errors += map(missing, absent)
    yield from errors
    refused = {error.field.partition("[")[0] for error in errors}
    yield from struct.list_conflicts(values, refused)
    for name in raw:
        if name not in fields:
            yield _unknown_field(struct, name)


def _unknown_field(struct: type[Body], name: str) -> Invalid:
    hint = _hint(struct, name)
    message = f"`{excerpt(name)}` is not a field that can be set here. {hint}"
    return Invalid(message, code="unknown_field", field=name)


def _hint(struct: type[Body | Query], name: str) -> str:
    """What to send in place of an unknown field or parameter."""
    synonym = SYNONYMS.get(name.lower().replace("-", "_"), "")
    if name not in struct.elsewhere and synonym in fields_of(struct):
        return did_you_mean(synonym)
    return struct.elsewhere.get(name) or closest(name, fields_of(struct)).lstrip()


def list_refusals(struct: type[Body], raw: Mapping[str, object]) -> list[Invalid]:
    """The errors of all values, each checked by itself, for forms.

    Unknown and missing fields are ignored: `decode_input` refuses them.
    """
    return decode_each(struct, raw)[1]


def decode_each(
    struct: type[Body], raw: Mapping[str, object]
) -> tuple[dict[str, Any], list[Invalid]]:
    """The values that are valid by themselves, and the errors of the others."""
    fields, values = fields_of(struct), dict[str, Any]()
    repaired, refusals = repair_texts(raw, postal_names(struct))
    lost = {error.field for error in refusals}
    for name in (name for name in fields if name in raw and name not in lost):
        field = fields[name]
        try:
            value = repaired.get(name, raw[name])
            for tidied in dict(_tidied(struct, fields, {name: value})).values():
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
    decoded, errors = dict[str, Creation](), list[Invalid]()
    for place, value in enumerate(values[:most]):
        name = f"{field.name}[{place}]"
        try:
            decoded[name] = _decode_record(name, field.element.kind, value)
        except Invalid as reason:
            errors += reason.all
            if len(errors) >= MAX_ERRORS:
                break
    if errors:
        others = (each.within(name) for name in decoded for each in decoded[name].conflicts)
        raise all_of(chain(errors, others))
    return [*decoded.values(), *values[most:]]


def _decode_record(name: str, kind: type[Creation], value: object) -> Creation:
    """One object of a list. name: its place. Raises: Invalid."""
    if not isinstance(value, dict):
        raise Invalid(f"`{name}` is {shown(value)}; expected an object.", field=name)
    try:
        return decode_input(kind, value)
    except Invalid as reason:
        raise all_of([each.within(name) for each in reason.all]) from None


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
                advice = _several(fields[name]) if name in fields else ""
                raise Invalid(f"{text} {advice}".rstrip(), field=name)
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
        hint = _hint(struct, name)
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
    if field.is_choice and "," in text:
        _explain(structs.replace(field, advice=_several(field)), {field.name: text})
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


def _several(field: Field) -> str:
    """What to do to ask for several values of a parameter."""
    if field.element:
        return field.advice
    return _("Send one request for each.") if field.is_choice else ""


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
            raise missing(field)
        return
    value = values[field.name]
    try:
        msgspec.convert(value, field.hint)
    except msgspec.ValidationError:
        raise unexpected(field, value) from None
