"""Mappings as TOML files, which people write; all errors of a file are found at once."""

import json
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_type_hints
from zoneinfo import available_timezones

import msgspec
from msgspec import Struct, structs

from masthead.model.errors import Invalid, excerpt
from masthead.model.imports.fitting import column_key
from masthead.model.imports.mapping import (
    ASK,
    CHOICES,
    IF_PAID,
    LEAVE_OUT,
    NOT_PAID,
    NOT_RECURRING,
    UNSTATED,
    ImportMapping,
    ItemOffer,
    Rule,
)
from masthead.model.imports.targets import TARGETS
from masthead.model.imports.values.own_words import READERS, is_in_own_words
from masthead.model.imports.values.texts import read_medium, read_status
from masthead.model.orders.released_issues import is_sent_through
from masthead.model.types.messages import closest, shown, similar
from masthead.model.types.text import MAX_DIGITS, is_digits

MAX_FILE = 262_144  # characters
MAX_PARTS = 10_000  # line breaks, and signs that begin a value; 2,000 products have as many
MAX_DOTS = 500  # in a line: the parser needs quadratic time for a key of many parts
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_MEANINGS = (LEAVE_OUT, NOT_RECURRING, UNSTATED, IF_PAID, NOT_PAID, ASK)
_WORDS: dict[Any, str] = {
    str: "text",
    int: "whole number",
    bool: "true or false",
    int | None: "whole number",
    int | str: "an issue number, `released` or `none`",
    str | None: "text",
    tuple[str, ...]: "list of texts",
    dict[str, str]: "table of texts",
}


def decode_mapping(text: str) -> ImportMapping:
    """The mapping in a TOML file, without the fields of its preset. Raises: Invalid."""
    if (
        len(text) > MAX_FILE
        or sum(map(text.count, "\n,[\\")) > MAX_PARTS
        or any(line.count(".") > MAX_DOTS for line in text.split("\n"))
    ):
        raise Invalid(
            f"The mapping is too long: it may have {MAX_FILE} characters, {MAX_PARTS} lines and "
            f"values, and {MAX_DOTS} points in a line."
        )
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as reason:
        raise Invalid(f"The mapping is not valid TOML: {reason}.") from None
    except (RecursionError, ValueError):  # the parser does not count brackets and digits
        message = "The mapping has brackets in too many brackets, or a number with too many digits."
        raise Invalid(f"{message} Write it as the page about moving in shows.") from None
    return _read_mapping(raw)


def require_writable(mapping: ImportMapping) -> None:
    """Raises: Invalid if no file could say a mapping, such as one with an unknown time zone."""
    _read_mapping(msgspec.json.decode(msgspec.json.encode(mapping)))


def _read_mapping(raw: dict[str, Any]) -> ImportMapping:
    """The mapping in the values of a file. Raises: Invalid."""
    wrong: list[str] = []
    known = {info.name for info in structs.fields(ImportMapping)}
    given: dict[str, Any] = {}
    for name, value in raw.items():
        if name not in known:
            text = f"`{excerpt(name)}` is not a setting of mappings."
            wrong.append(text + closest(name, known))
        elif name in _TABLES:
            given[name] = _read_table(name, value, wrong)
        else:
            given |= _read_values(ImportMapping, {name: value}, name, wrong)
    for name, allowed in CHOICES.items():
        if given.get(name) and given[name] not in allowed:
            wrong.append(_unexpected(name, given[name], allowed))
    if (through := given.get("sent_through", "")) != "" and not is_sent_through(through):
        wrong.append(_not_of_type("sent_through", through, _WORDS[int | str]))
    for name in ("positive", "has_one_of"):
        unknown = (field for field in given.get(name, ()) if field not in TARGETS)
        wrong += map(_unknown_field, unknown)
    if (zone := given.get("time_zone")) and zone not in available_timezones():
        message = "`{field}` is {value}; expected {expected}."
        expected = "a time zone such as `Europe/Berlin`"
        wrong.append(message.format(field="time_zone", value=shown(zone), expected=expected))
    if wrong:
        raise Invalid(" ".join(wrong))
    return ImportMapping(**given)


def _unexpected(name: str, value: object, allowed: Collection[str]) -> str:
    names = ", ".join(f"`{each}`" for each in allowed)
    message = "`{field}` is {value}; expected {expected}."
    expected = f"one of {names}"
    return message.format(field=name, value=shown(value), expected=expected)


def _read_table(name: str, value: object, wrong: list[str]) -> dict[str, Any]:
    """The entries of a table of a mapping, whose errors are added to the wrong ones."""
    if not isinstance(value, dict):
        message = "`{field}` is {value}; expected a table, written `[{field}]`."
        wrong.append(message.format(field=name, value=shown(value)))
        return {}
    read = _TABLES[name]
    found = {key: read(f"{name}.{key}", each, wrong) for key, each in value.items()}
    if name == "columns":
        wrong += [_unknown_field(key) for key in found if key not in TARGETS]
    return found


def _unknown_field(name: str) -> str:
    message = "`{name}` is not a field that a mapping can fill."
    return message.format(name=excerpt(name)) + closest(name, TARGETS)


def _read_rule(path: str, value: object, wrong: list[str]) -> Rule:
    """A column, a list of columns, or a table that says more."""
    if isinstance(value, str):
        return Rule(columns=(value,))
    if isinstance(value, list):
        return Rule(**_read_values(Rule, {"columns": value}, path, wrong))
    rule = Rule(**_read_struct(Rule, value, path, wrong))
    is_number = is_digits(rule.part, at_most=MAX_DIGITS) and rule.part.strip("0")
    if (rule.split or rule.at) and not (is_number or rule.part in ("first", "last")):
        message = "`{field}` is {value}; expected `first`, `last`, or with `at` a number from 1."
        wrong.append(message.format(field=f"{path}.part", value=shown(rule.part)))
    return rule


def _read_offer(path: str, value: object, wrong: list[str]) -> ItemOffer:
    """A product, "leave out", or a table that says more."""
    if isinstance(value, str):
        return ItemOffer(leave_out=True) if value == LEAVE_OUT else ItemOffer(product=value)
    offer = ItemOffer(**_read_struct(ItemOffer, value, path, wrong))
    if offer.medium:
        _try(read_medium, f"{path}.medium", offer.medium, wrong)
    for name, most in (("length", 1000), ("interval_months", 1200)):
        number = getattr(offer, name)
        if number is not None and not 1 <= number <= most:
            message = "`{field}` is {value}; expected a whole number from {least} to {most}."
            words = {"field": f"{path}.{name}", "value": number, "least": 1, "most": most}
            wrong.append(message.format(**words))
    return offer


def _read_status(path: str, value: object, wrong: list[str]) -> str:
    if not isinstance(value, str):
        wrong.append(_not_of_type(path, value, "text"))
        return ""
    if value not in _MEANINGS:
        _try(read_status, path, value, wrong)
    return value


def _read_meanings(path: str, value: object, wrong: list[str]) -> dict[str, str]:
    """What texts of a field mean."""
    field = path.partition(".")[2]
    if not is_in_own_words(field):
        known = [name for name in TARGETS if is_in_own_words(name)]
        wrong.append(_unexpected("values", field, known))
        return {}
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        wrong.append(_not_of_type(path, value, _WORDS[dict[str, str]]))
        return {}
    for meaning in value.values():
        if meaning != LEAVE_OUT:
            _try(READERS[TARGETS[field].kind], path, meaning, wrong)
    return value


def _try(read: Callable[[str, str], object], path: str, value: str, wrong: list[str]) -> None:
    try:
        read(path, value)
    except Invalid as refusal:
        wrong.append(str(refusal))


def _read_texts(path: str, value: object, wrong: list[str]) -> tuple[str, ...]:
    """A text, or a list of texts."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
        wrong.append(_not_of_type(path, value, "list of texts"))
        return ()
    return tuple(texts)


_TABLES: Mapping[str, Callable[[str, object, list[str]], Any]] = {
    "columns": _read_rule,
    "products": _read_offer,
    "status": _read_status,
    "values": _read_meanings,
    "only": _read_texts,
    "never": _read_texts,
}


def _read_struct(
    struct: type[Struct], value: object, path: str, wrong: list[str]
) -> dict[str, Any]:
    """The fields of an inline table."""
    if not isinstance(value, dict):
        wrong.append(_not_of_type(path, value, "text or table"))
        return {}
    return _read_values(struct, value, path, wrong)


def _read_values(
    struct: type[Struct], raw: dict[str, Any], path: str, wrong: list[str]
) -> dict[str, Any]:
    """The fields of a struct, as they are called in Python, from those of a file."""
    names = {info.encode_name: info.name for info in structs.fields(struct)}
    hints, found = get_type_hints(struct), {}
    for key, value in raw.items():
        if key not in names:
            message = "`{path}` has `{name}`, which is not known."
            wrong.append(message.format(path=path, name=excerpt(key)) + closest(key, names))
            continue
        hint = hints[names[key]]
        one = [value] if isinstance(value, str) and hint == tuple[str, ...] else value
        try:
            found[names[key]] = msgspec.convert(one, hint)
        except msgspec.ValidationError:
            full = path if struct is ImportMapping else f"{path}.{key}"
            wrong.append(_not_of_type(full, value, _WORDS[hint]))
    return found


def _not_of_type(path: str, value: object, expected: str) -> str:
    message = "`{field}` is {value}; expected {expected}."
    return message.format(field=path, value=shown(value), expected=expected)


def require_columns(mapping: ImportMapping, columns: Collection[str]) -> None:
    """Check the columns that a mapping file names itself, not those of its preset.

    Raises: Invalid, which names all columns that the table does not have.
    """
    known = {column_key(name) for name in columns}
    missing = [name for name in mapping.named() if column_key(name) not in known]
    if missing:
        message = "The file has no column `{name}`, which the mapping names."
        lines = [message.format(name=excerpt(name)) + _similar(name, columns) for name in missing]
        raise Invalid(" ".join(lines))


def _similar(name: str, columns: Collection[str]) -> str:
    """A hint with the column that may be meant."""
    close = similar(name, columns)
    return f" Did you mean `{close}`?" if close else ""


def encode_mapping(mapping: ImportMapping) -> str:
    """The mapping as a TOML file; `decode_mapping` reads the same mapping from it."""
    lines, tables = [], []
    for name in mapping.__struct_fields__:
        value = getattr(mapping, name)
        if isinstance(value, dict):
            if value:
                entries = [f"{_key(key)} = {_value(each)}" for key, each in value.items()]
                tables.append("\n".join([f"[{name}]", *entries]))
        elif value:
            lines.append(f"{name} = {_value(value)}")
    return "\n\n".join(part for part in ("\n".join(lines), *tables) if part) + "\n"


def _value(value: object) -> str:
    if isinstance(value, Rule) and value == Rule(columns=value.columns):
        return _value(value.columns[0] if len(value.columns) == 1 else value.columns)
    if isinstance(value, ItemOffer) and value == ItemOffer(leave_out=True):
        return _value(LEAVE_OUT)
    if isinstance(value, Rule | ItemOffer):
        value = msgspec.to_builtins(value)
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{_key(key)} = {_value(each)}' for key, each in value.items())} }}"
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _value(key)
