"""From loose values to input structs, with refusals that name field, value and what is allowed."""

import difflib
import json
from collections.abc import Collection, Iterable, Mapping
from datetime import date
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import MAX_IDS, Change, Creation, Query
from masthead.model.types.text import MAX_DIGITS, MAX_TEXT, is_digits, short_text

B = TypeVar("B", bound=Creation | Change)
Q = TypeVar("Q", bound=Query)

MAX_NAME = 64  # characters of an unknown name that is compared with the known ones
MAX_SHOWN = 80  # characters of a value in a message


class Field(Struct, frozen=True):
    """What decoding must know of a field.

    kind: its plain type, without null and metadata. max_length: of its text; rule: run on its
    decoded value; tidy: on its text in a query string; advice: what to do, for refusals.
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

    def check(self, value: Any) -> Any:
        """A decoded value after the checks of length and rule. Raises: Invalid."""
        if isinstance(value, str):
            short_text(self.name, value, self.max_length)
        is_ruled = self.rule is not None and isinstance(value, str | date)
        return self.rule(self.name, value) if is_ruled else value

    @property
    def is_day(self) -> bool:
        """Dates are taken as they are, never trimmed."""
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
    fields = {}
    for info in structs.fields(struct):
        hint = hints[info.name]
        kind, meta = _kind_and_meta(hint)
        extra: dict[str, Any] = {}
        for each in meta:
            extra |= each.extra or {}
        fields[info.name] = Field(
            name=info.encode_name,
            hint=hint,
            kind=kind,
            meta=meta,
            is_required=info.required,
            max_length=extra.get("max_length", MAX_TEXT),
            rule=extra.get("rule"),
            tidy=extra.get("tidy"),
            advice=extra.get("advice", ""),
        )
    return fields


def decode_input(struct: type[B], raw: Mapping[str, object]) -> B:
    """The struct made of a JSON object's values, tidied and checked by its rules.

    Raises: Invalid, `unknown_field` if there are others, else `validation_error`.
    """
    fields = fields_of(struct)
    for name in raw:
        if name not in fields:
            raise Invalid(
                f"`{excerpt(name)}` is no field that can be written here.{closest(name, fields)}",
                code="unknown_field",
                field=name,
            )
    decoded: B = _convert(struct, fields, dict(_tidied(struct, fields, raw)))
    for name, field in fields.items():
        if name in raw:
            setattr(decoded, name, field.check(getattr(decoded, name)))
    return decoded


def list_refusals(struct: type[B], raw: Mapping[str, object]) -> list[Invalid]:
    """What is wrong with each of the values by itself, all at once, for forms.

    Names that are no fields, and what is missing, are left to `decode_input`.
    """
    return decode_each(struct, raw)[1]


def decode_each(struct: type[B], raw: Mapping[str, object]) -> tuple[dict[str, Any], list[Invalid]]:
    """The values that are valid by themselves, and the refusals of the others; see above."""
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
    """The values with texts trimmed, and without those that count as absent."""
    for name, value in raw.items():
        field = fields[name]
        tidy = value.strip() if isinstance(value, str) and not field.is_day else value
        if struct.blank_is_absent and not field.is_required:
            if tidy is None or (tidy == "" and not field.is_day):
                continue
        elif tidy == "" and field.is_required and field.kind is str:
            raise Invalid(f"`{name}` is empty; it is required.", field=name)
        yield name, tidy


def decode_query(struct: type[Q], pairs: Iterable[tuple[str, str]]) -> Q:
    """The struct made of a query string's names and texts.

    Raises: Invalid, `unknown_parameter` if there are others, else `validation_error`.
    """
    fields, seen = fields_of(struct), dict[str, object]()
    for name, text in pairs:
        if name not in fields:
            raise Invalid(
                f"`{excerpt(name)}` is no parameter of this address.{closest(name, fields)}",
                code="unknown_parameter",
                field=name,
            )
        if name in seen:
            raise Invalid(f"`{name}` stands there more than once; send it once.", field=name)
        if "\0" in text:
            raise Invalid(f"`{name}` contains the character NUL, which is not allowed.", field=name)
        seen[name] = _from_text(fields[name], text)
    query: Q = _convert(struct, fields, seen)
    return query


def _from_text(field: Field, text: str) -> object:
    """A parameter's text as the type of its field, or the text itself if it does not fit."""
    if field.kind is int and is_digits(text, at_most=MAX_DIGITS):
        return int(text)
    if field.kind is bool and text in ("true", "false"):
        return text == "true"
    tidy = text.strip() if field.tidy else text
    if field.kind is str and not any(meta.max_length for meta in field.meta):
        short_text(field.name, tidy, field.max_length)
    return str(field.tidy(tidy)) if field.tidy else tidy


def _convert(struct: Any, fields: Mapping[str, Field], values: dict[str, object]) -> Any:
    try:
        return msgspec.convert(values, struct)
    except msgspec.ValidationError as reason:
        for field in fields.values():
            _explain(field, values)
        raise Invalid(str(reason)) from None  # pragma: no cover - every field has been tried


def _explain(field: Field, values: Mapping[str, object]) -> None:
    """Raises: Invalid if it is this field that does not fit."""
    if field.name not in values:
        if field.is_required:
            raise Invalid(
                f"`{field.name}` is missing; it is required: {_expectation(field)}.",
                field=field.name,
            )
        return
    value = values[field.name]
    try:
        msgspec.convert(value, field.hint)
    except msgspec.ValidationError:
        told = f"`{field.name}` is {shown(value)}"
        if isinstance(value, list) and get_origin(field.kind) is list:
            told = _culprit(field, value)
        raise Invalid(
            f"{told}; expected {_expectation(field)}. {field.advice}".rstrip(),
            field=field.name,
            value=value,
        ) from None


def _culprit(field: Field, values: list[object]) -> str:
    """The element of a list that is at fault, or the list's size."""
    for place, value in enumerate(values[:MAX_IDS]):
        if type(value) is not int:
            return f"`{field.name}[{place}]` is {shown(value)}"
    return f"`{field.name}` has {len(values)} elements"


def _expectation(field: Field) -> str:
    """What a field takes, in words."""
    limits = {
        name: getattr(meta, name)
        for meta in field.meta
        for name in ("ge", "le", "min_length", "max_length")
        if getattr(meta, name) is not None
    }
    if isinstance(field.kind, type) and issubclass(field.kind, Enum):
        return "one of " + ", ".join(f"`{each.value}`" for each in field.kind)
    if get_origin(field.kind) is list:
        return f"{limits['min_length']} to {limits['max_length']} whole numbers in a list"
    if field.kind is int:
        return f"a whole number; allowed are {limits['ge']} to {limits['le']}"
    if field.kind is str:
        least, most = limits.get("min_length", 0), limits.get("max_length")
        return (
            f"a text of at most {most} characters" if most else "a text" + " with content" * least
        )
    return {bool: "true or false", date: "a real day as YYYY-MM-DD"}[field.kind]


def closest(name: str, known: Collection[str]) -> str:
    """The way out after an unknown name: the one that was meant, else all that there are."""
    close = difflib.get_close_matches(name, known, n=1) if len(name) <= MAX_NAME else []
    if close:
        return f" Did you mean `{close[0]}`?"
    return f" Known: {', '.join(f'`{each}`' for each in known)}." if known else " It takes none."


def shown(value: object) -> str:
    """A value as JSON for a message, cut to a readable length."""
    if isinstance(value, str | list):
        value = value[:MAX_SHOWN]
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode(errors="backslashreplace").decode()
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}…"
