"""Validates JSON values and query parameters, and converts them to the structs of `inputs`."""

from collections.abc import Iterable, Mapping
from datetime import date
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import MAX_IDS, Change, Creation, Query
from masthead.model.translations import gettext as _
from masthead.model.types.messages import closest, shown
from masthead.model.types.text import MAX_DIGITS, MAX_TEXT, is_digits, short_text

B = TypeVar("B", bound=Creation | Change)
Q = TypeVar("Q", bound=Query)


class Field(Struct, frozen=True):
    """How to validate a field.

    kind: its type without null and metadata. max_length: of a text. rule: checks the decoded
    value. tidy: normalizes the text of a query parameter. advice: ends the message of an error.
    element: how to validate each element of a list; None for other fields.
    """

    name: str
    hint: Any
    kind: Any
    meta: tuple[Meta, ...]
    is_required: bool
    max_length: int
    rule: Any
    tidy: Any
    advice: str
    element: "Field | None"

    def check(self, value: Any) -> Any:
        """The decoded value, after the checks of its length and its rule. Raises: Invalid."""
        if isinstance(value, str):
            short_text(self.name, value, self.max_length)
        elif isinstance(value, list) and self.element and self.element.kind is str:
            return [self.at(place).check(each) for place, each in enumerate(value)]
        is_ruled = self.rule is not None and isinstance(value, str | date)
        return self.rule(self.name, value) if is_ruled else value

    def at(self, place: int) -> "Field":
        """The field of one element of a list, with its place in the name."""
        assert self.element is not None
        return structs.replace(self.element, name=f"{self.name}[{place}]")

    @property
    def holds_records(self) -> bool:
        """Whether it is a list of objects."""
        kind = self.element.kind if self.element else None
        return isinstance(kind, type) and issubclass(kind, Creation)

    @property
    def is_day(self) -> bool:
        """Whether it is a date, which is never trimmed."""
        return self.kind is date


def _kind_and_meta(hint: Any) -> tuple[Any, tuple[Meta, ...]]:
    if get_origin(hint) is Annotated:
        kind, meta = _kind_and_meta(get_args(hint)[0])
        return kind, (*meta, *(each for each in get_args(hint)[1:] if isinstance(each, Meta)))
    if get_origin(hint) in (Union, UnionType):
        absent = (type(None), msgspec.UnsetType)
        return _kind_and_meta(next(arg for arg in get_args(hint) if arg not in absent))
    return hint, ()


def fields_of(struct: type[Struct]) -> dict[str, Field]:
    """The fields of an input struct by name."""
    return _fields_of(struct)


@cache
def _fields_of(struct: Any) -> dict[str, Field]:
    hints = get_type_hints(struct, include_extras=True)
    return {
        info.name: _field_of(info.encode_name, hints[info.name], is_required=info.required)
        for info in structs.fields(struct)
    }


def _field_of(name: str, hint: Any, *, is_required: bool) -> Field:
    kind, meta = _kind_and_meta(hint)
    extra: dict[str, Any] = {}
    for each in meta:
        extra |= each.extra or {}
    is_list = get_origin(kind) is list
    return Field(
        name=name,
        hint=hint,
        kind=kind,
        meta=meta,
        is_required=is_required,
        max_length=extra.get("max_length", MAX_TEXT),
        rule=extra.get("rule"),
        tidy=extra.get("tidy"),
        advice=extra.get("advice", ""),
        element=_field_of(name, get_args(kind)[0], is_required=True) if is_list else None,
    )


def decode_input(struct: type[B], raw: Mapping[str, object]) -> B:
    """The struct with the values of a JSON object, trimmed and validated.

    Raises: Invalid, with `unknown_field` or `validation_error`.
    """
    fields = fields_of(struct)
    for name in raw:
        if name not in fields:
            hint = struct.elsewhere.get(name) or closest(name, fields).lstrip()
            raise Invalid(
                f"`{excerpt(name)}` is not a field that can be set here. {hint}",
                code="unknown_field",
                field=name,
            )
    decoded: B = _convert(struct, fields, dict(_tidied(struct, fields, raw)))
    for name, field in fields.items():
        if name in raw:
            setattr(decoded, name, field.check(getattr(decoded, name)))
    return decoded


def list_refusals(struct: type[B], raw: Mapping[str, object]) -> list[Invalid]:
    """The errors of all values, each checked by itself, for forms.

    Unknown and missing fields are ignored: `decode_input` refuses them.
    """
    return decode_each(struct, raw)[1]


def decode_each(struct: type[B], raw: Mapping[str, object]) -> tuple[dict[str, Any], list[Invalid]]:
    """The values that are valid by themselves, and the errors of the others."""
    fields, values, refusals = fields_of(struct), dict[str, Any](), list[Invalid]()
    for name in (name for name in fields if name in raw):
        field = fields[name]
        try:
            for tidied in dict(_tidied(struct, fields, {name: raw[name]})).values():
                _explain(field, {name: tidied})
                values[name] = field.check(msgspec.convert(tidied, field.hint))
        except Invalid as reason:
            refusals.append(reason)
    return values, refusals


def _tidied(
    struct: type[B], fields: Mapping[str, Field], raw: Mapping[str, object]
) -> Iterable[tuple[str, object]]:
    """The values with trimmed texts. Values that count as absent are left out."""
    for name, value in raw.items():
        field = fields[name]
        tidy = value.strip() if isinstance(value, str) and not field.is_day else value
        if isinstance(value, list) and field.holds_records:
            tidy = _decode_records(field, value)
        elif isinstance(value, list) and field.element and field.element.kind is not int:
            tidy = [each.strip() if isinstance(each, str) else each for each in value]
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
    decoded: list[object] = []
    for place, value in enumerate(values[:most]):
        name = f"{field.name}[{place}]"
        if not isinstance(value, dict):
            raise Invalid(f"`{name}` is {shown(value)}; expected an object.", field=field.name)
        try:
            decoded.append(decode_input(field.element.kind, value))
        except Invalid as reason:
            text = f"In `{name}`: {reason}"
            raise Invalid(text, code=reason.code, field=field.name) from None
    return decoded + values[most:]


def decode_query(struct: type[Q], pairs: Iterable[tuple[str, str]]) -> Q:
    """The struct with the parameters of a query string.

    Raises: Invalid, with `unknown_parameter` or `validation_error`.
    """
    fields, seen = fields_of(struct), dict[str, object]()
    for name, text in pairs:
        if name not in fields:
            raise Invalid(
                f"`{excerpt(name)}` is not a parameter of this path.{closest(name, fields)}",
                code="unknown_parameter",
                field=name,
            )
        if name in seen:
            raise Invalid(
                _("`{field}` appears more than once; send it once.").format(field=name), field=name
            )
        if "\0" in text:
            message = _("`{field}` contains the character NUL, which is not allowed.")
            raise Invalid(message.format(field=name), field=name)
        seen[name] = _from_text(fields[name], text)
    query: Q = _convert(struct, fields, seen)
    return query


def _from_text(field: Field, text: str) -> object:
    """A parameter converted to the type of its field; the text itself if that is not possible."""
    if field.kind is int and is_digits(text, at_most=MAX_DIGITS):
        return int(text)
    if field.kind is bool and text in ("true", "false"):
        return text == "true"
    tidy = text.strip() if field.tidy else text
    if field.kind is str and not any(meta.max_length for meta in field.meta):
        short_text(field.name, tidy, field.max_length)
    tidy = str(field.tidy(tidy)) if field.tidy else tidy
    return field.rule(field.name, tidy) if field.kind is str and field.rule else tidy


def _convert(struct: Any, fields: Mapping[str, Field], values: dict[str, object]) -> Any:
    try:
        return msgspec.convert(values, struct)
    except msgspec.ValidationError as reason:
        for field in fields.values():
            _explain(field, values)
        raise Invalid(str(reason)) from None  # pragma: no cover - one of the fields is invalid


def _explain(field: Field, values: Mapping[str, object]) -> None:
    """Raises: Invalid if the value of this field is missing or invalid."""
    if field.name not in values:
        if field.is_required:
            message = _("`{field}` is required, but missing; expected {expected}.")
            raise Invalid(
                message.format(field=field.name, expected=_expectation(field)), field=field.name
            )
        return
    value = values[field.name]
    try:
        msgspec.convert(value, field.hint)
    except msgspec.ValidationError:
        message = _("`{field}` is {value}; expected {expected}.")
        words = {"field": field.name, "value": shown(value)}
        if isinstance(value, list) and field.element:
            message, words = _list_problem(field, field.element, value)
        text = message.format(**words, expected=_expectation(field))
        text = f"{text} {field.advice}".rstrip()
        raise Invalid(text, field=field.name, value=value) from None


def _list_problem(field: Field, element: Field, values: list[object]) -> tuple[str, dict[str, str]]:
    """What is wrong with a list: its first invalid element, or its size. A message, its words."""
    for place, value in enumerate([] if field.holds_records else values[:MAX_IDS]):
        try:
            msgspec.convert(value, element.hint)
        except msgspec.ValidationError:
            words = {"field": f"{field.name}[{place}]", "value": shown(value)}
            return _("`{field}` is {value}; expected {expected}."), words
    words = {"field": field.name, "count": str(len(values))}
    return _("`{field}` has {count} elements; expected {expected}."), words


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
