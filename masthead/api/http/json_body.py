"""Parses the JSON object in a request body, within limits on its size and nesting."""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from masthead.model.body_advice import no_object
from masthead.model.errors import Invalid, excerpt
from masthead.model.inputs import Body

MAX_NESTING = 32
MAX_OBJECTS = 1_000
MAX_LISTS = 10_000
MAX_VALUES = 50_000
LARGEST = 10**309  # stands for every number that a float cannot hold, such as 1e400

TRAILING_COMMA = "Illegal trailing comma"
# What is wrong, by the beginning of a message of Python's parser, which has words of its own
PROBLEMS = {
    "Expecting value": "a value is expected, such as text in double quotes or a number",
    "Expecting property name": "the name of a field is expected, in double quotes",
    "Expecting ':'": "a colon is expected, and then the value of the field",
    "Expecting ','": "a comma or a closing bracket is expected",
    TRAILING_COMMA: "there is a comma before a closing bracket; leave it out",
    "Unterminated string": "a text begins that has no closing quotation mark",
    "Invalid control character": "a text contains a line break or another control character; "
    "write a line break as `\\n`",
    "Invalid \\u": "`\\u` is not followed by four hexadecimal digits",
    "Invalid \\": "a backslash in a text is not followed by a letter that JSON knows; write a "
    "backslash itself as `\\\\`",
    "Extra data": "there is more after the end of the JSON",
    "Unexpected UTF-8 BOM": "there is a byte order mark; leave it out",
    "": "there is a mistake",
}
# What people write where a value or a name is expected, from habits of other languages
HABITS = {
    re.compile("'"): "there is a single quotation mark; JSON has double ones",
    re.compile(r"//|/\*|#"): "there is a comment, which JSON does not have",
    **{
        re.compile(rf"{word}\b"): f"a value is expected; JSON writes `{word}` as `{json_word}`"
        for word, json_word in {"True": "true", "False": "false", "None": "null"}.items()
    },
}
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def parse_object(raw: bytes, struct: type[Body] = Body) -> dict[str, Any]:
    """The JSON object in a body. struct: what to send. Raises: Invalid `invalid_json`.

    10,000 numbers take about a millisecond, because slow checks run only for bodies that need them.
    """
    lists = raw.count(b"[")
    if lists > MAX_LISTS or raw.count(b",") > MAX_VALUES:
        marks = _outside_strings(raw)
        if marks.count(b"[") > MAX_LISTS:
            raise _invalid_json(f"it has more than {MAX_LISTS} lists")
        if marks.count(b",") > MAX_VALUES:
            raise _too_many_values()
    parsed = _parse(raw)
    if not isinstance(parsed, _JsonObject):
        raise no_object(struct, parsed)
    objects = raw.count(b"{")
    if objects + lists > MAX_NESTING or b"\\u" in raw:  # other bodies pass these checks
        _require_storable(parsed)
    fields: dict[str, Any] = {}
    for name, value in parsed.members:
        if name in fields:
            printable = name.encode(errors="backslashreplace").decode()
            raise _invalid_json(f"`{excerpt(printable)}` appears more than once")
        fields[name] = value if objects == 1 else _with_dicts(value)
    return fields


def _outside_strings(raw: bytes) -> bytes:
    """The body without what is in its strings. Cost: a third of that of a regular expression."""
    unescaped = raw.replace(b"\\\\", b"").replace(b'\\"', b"") if b"\\" in raw else raw
    return b"".join(unescaped.split(b'"')[::2])


def _parse(raw: bytes, **hooks: Any) -> Any:
    """The JSON value in a body. Raises: Invalid `invalid_json`."""
    counter = _ValueCounter()
    try:
        return json.loads(
            raw.decode(),
            object_pairs_hook=counter.add_object,
            parse_float=counter.add_number,
            parse_constant=_refuse_constant,
            **hooks,
        )
    except UnicodeDecodeError:
        raise _invalid_json("it is not UTF-8") from None
    except RecursionError:
        raise _nested_too_deep() from None
    except json.JSONDecodeError as error:
        raise _invalid_json(_problem(error)) from None
    except ValueError:  # a whole number with thousands of digits
        return _parse(raw, parse_int=_whole_number)


def _problem(error: json.JSONDecodeError) -> str:
    """The place of a mistake, and what it is."""
    text, place = error.doc, error.pos
    if text.startswith(("}", "]"), place) and text[:place].rstrip(" \t\r\n").endswith(","):
        error = json.JSONDecodeError(TRAILING_COMMA, text, text.rindex(",", 0, place))
    problem = next(words for start, words in PROBLEMS.items() if error.msg.startswith(start))
    if error.msg.startswith(("Expecting value", "Expecting property name")):
        habits = (words for pattern, words in HABITS.items() if pattern.match(text, place))
        problem = next(habits, problem)
    return f"at line {error.lineno}, column {error.colno}, {problem}"


class _JsonObject(Struct):
    """A JSON object as it was sent: a name may appear more than once."""

    members: list[tuple[str, Any]]


class _ValueCounter:
    """Counts objects and decimal numbers in a body, which cost more than their length suggests."""

    def __init__(self) -> None:
        self._objects = self._numbers = 0

    def add_object(self, members: list[tuple[str, Any]]) -> _JsonObject:
        """The object. Raises: Invalid if there are too many."""
        self._objects += 1
        if self._objects > MAX_OBJECTS:
            raise _invalid_json(f"it has more than {MAX_OBJECTS} objects")
        return _JsonObject(members)

    def add_number(self, text: str) -> int | float:
        """The number: an int for `12.0` and `1e30`; 12.5 stays a float, which its field refuses."""
        self._numbers += 1
        if self._numbers > MAX_VALUES:
            raise _too_many_values()
        number = float(text)
        if math.isinf(number):
            return LARGEST if number > 0 else -LARGEST
        return int(number) if number.is_integer() else number


def _whole_number(text: str) -> int:
    """A whole number; one that is too large for every field is truncated, but stays too large."""
    return int(text) if len(text) < 100 else int(text[:100])


def _refuse_constant(text: str) -> float:
    raise _invalid_json(f"{text} is not a JSON number")


def _require_storable(parsed: _JsonObject) -> None:
    """Raises: Invalid if a text cannot be stored, or there are too many values or levels."""
    for value in _iterate(parsed):
        if isinstance(value, str) and _UNSTORABLE.search(value):
            raise Invalid(
                "Text in the body contains the character NUL or half of a surrogate pair; "
                "neither is allowed."
            )


def _iterate(parsed: _JsonObject) -> Iterator[Any]:
    """All names and values at all levels. Raises: Invalid if too many or too deep."""
    level, count = list[Any]([parsed]), 0
    for depth in range(MAX_NESTING + 1):
        next_level: list[Any] = []
        count += len(level)
        if count > MAX_VALUES:
            raise _too_many_values()
        for value in level:
            yield value
            if depth == MAX_NESTING and isinstance(value, _JsonObject | list):
                raise _nested_too_deep()
            if isinstance(value, _JsonObject):
                next_level += [part for member in value.members for part in member]
            elif isinstance(value, list):
                next_level += value
        level = next_level


def _with_dicts(value: Any) -> Any:
    """A value with its objects as dicts."""
    if isinstance(value, _JsonObject):
        return {name: _with_dicts(inner) for name, inner in value.members}
    return [_with_dicts(inner) for inner in value] if isinstance(value, list) else value


def _nested_too_deep() -> Invalid:
    return _invalid_json(f"it is nested more than {MAX_NESTING} levels deep")


def _too_many_values() -> Invalid:
    return _invalid_json(f"it has more than {MAX_VALUES} values")


def _invalid_json(problem: str) -> Invalid:
    return Invalid(f"The body cannot be read as JSON: {problem}.", code="invalid_json")
