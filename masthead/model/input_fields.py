"""The fields of the structs of `inputs`: how to validate each, by its annotation."""

from datetime import date
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct, structs

from masthead.model.errors import Invalid, all_of
from masthead.model.inputs import Creation
from masthead.model.types.text import MAX_TEXT, short_text


class Field(Struct, frozen=True):
    """How to validate a field.

    kind: its type without null and metadata. max_length: of a text. rule: checks the decoded
    value. tidy: normalizes the text of a query parameter. advice: ends the message of an error.
    null_advice: ends that of null.
    element: how to validate each element of a list; None for other fields. is_postal: whether it is
    a part of a name or an address, whose text is repaired.
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
    null_advice: str
    element: "Field | None"
    is_postal: bool

    def check(self, value: Any) -> Any:
        """The decoded value, after the checks of its length and its rule. Raises: Invalid."""
        if isinstance(value, str):
            short_text(self.name, value, self.max_length)
        elif isinstance(value, list) and self.element and self.element.kind is str:
            return self._check_each(value)
        is_ruled = self.rule is not None and isinstance(value, str | date)
        return self.rule(self.name, value) if is_ruled else value

    def _check_each(self, values: list[str]) -> list[Any]:
        checked, refusals = [], list[Invalid]()
        for place, each in enumerate(values):
            try:
                checked.append(self.at(place).check(each))
            except Invalid as refusal:
                refusals.append(refusal)
        if refusals:
            raise all_of(refusals)
        return checked

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
    def is_choice(self) -> bool:
        """Whether it has one of some values."""
        return isinstance(self.kind, type) and issubclass(self.kind, Enum)

    @property
    def is_day(self) -> bool:
        """Whether it is a date, which is never trimmed."""
        return self.kind is date


def fields_of(struct: type[Struct]) -> dict[str, Field]:
    """The fields of an input struct by name."""
    return _fields_of(struct)


def postal_names(struct: type[Struct]) -> tuple[str, ...]:
    """The names of the fields of an input struct that are parts of a name or an address."""
    return _postal_names(struct)


@cache
def _postal_names(struct: Any) -> tuple[str, ...]:
    return tuple(name for name, field in fields_of(struct).items() if field.is_postal)


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
        null_advice=extra.get("null_advice", ""),
        element=_field_of(name, get_args(kind)[0], is_required=True) if is_list else None,
        is_postal=extra.get("is_postal", False),
    )


def _kind_and_meta(hint: Any) -> tuple[Any, tuple[Meta, ...]]:
    if get_origin(hint) is Annotated:
        kind, meta = _kind_and_meta(get_args(hint)[0])
        return kind, (*meta, *(each for each in get_args(hint)[1:] if isinstance(each, Meta)))
    if get_origin(hint) in (Union, UnionType):
        absent = (type(None), msgspec.UnsetType)
        return _kind_and_meta(next(arg for arg in get_args(hint) if arg not in absent))
    return hint, ()
