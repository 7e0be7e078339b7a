"""Compiles the rules of a mapping to functions that take a row and return the text of a field."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from masthead.model.imports.mapping import LEAVE_OUT, Rule
from masthead.model.imports.values.person_names import split_name
from masthead.model.imports.values.texts import clean
from masthead.model.types.text import MAX_LONG_TEXT, MAX_TEXT

Get = Callable[[Sequence[str]], str]
GetList = Callable[[Sequence[str]], list[str]]

_NEXT_ITEM = re.compile(r";\s*(?=\w+:)")


class LeftOut(Exception):
    """A row is left out and counted. column: whose value decides; value: what it is."""

    def __init__(self, column: str, value: str) -> None:
        super().__init__(column, value)
        self.column, self.value = column, value


class Places:
    """The places of columns in a row, by their names, at first as written, then in any case."""

    def __init__(self, columns: Iterable[str]) -> None:
        self._exact, self._folded = dict[str, int](), dict[str, int]()
        for place, name in enumerate(columns):
            self._exact.setdefault(name, place)
            self._folded.setdefault(name.strip().lower(), place)
        self._names = tuple(columns)
        self.unpack = lru_cache(maxsize=16)(unpack)  # a row asks several times for the same part

    def find(self, name: str) -> int | None:
        """The place of a column, None if the table does not have it."""
        place = self._exact.get(name)
        return self._folded.get(name.strip().lower()) if place is None else place

    def found(self, names: Iterable[str]) -> list[int]:
        """The places of those columns that the table has."""
        return [place for name in names if (place := self.find(name)) is not None]

    def name(self, place: int) -> str:
        """The name of a column as the file has it."""
        return self._names[place]


class Lookup:
    """A table of values by key: without regard to case, `*` stands for any text."""

    def __init__(self, table: Mapping[str, object]) -> None:
        self._exact = {_folded(key): value for key, value in table.items() if "*" not in key}
        self._patterns = [
            (_folded(key).split("*"), value) for key, value in table.items() if "*" in key
        ]
        self._remembered = lru_cache(maxsize=4096)(self._find)

    def find(self, text: str) -> object | None:
        """The value of a text, None if there is none. An exact key wins over patterns."""
        return self._remembered(text) if len(text) <= MAX_TEXT else self._find(text[:MAX_LONG_TEXT])

    def _find(self, text: str) -> object | None:
        folded = _folded(text)
        found = self._exact.get(folded)
        if found is not None:
            return found
        for parts, value in self._patterns:
            if _fits(folded, parts):
                return value
        return None


def _fits(text: str, parts: Sequence[str]) -> bool:
    """Whether a text consists of these parts, with any text between them. Linear in the text."""
    first, *inner, last = parts
    if not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for part in inner:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return at <= end


def _folded(text: str) -> str:
    return " ".join(text.split()).lower()


def is_blank(text: str) -> bool:
    """Whether a cell is empty."""
    return not text or text.isspace()


def compile_rule(
    rule: Rule, places: Places, *, is_empty: Callable[[str], bool] = is_blank
) -> tuple[Get | None, str]:
    """The function of a rule, and the column that messages name; None if no column is there.

    is_empty: whether a cell gives way to the next column, or to what stands for an empty one: for
    dates, also a zero.
    """
    get, column = _source(rule, places, is_empty)
    if get is not None and rule.if_empty:
        get = _filled(get, rule.if_empty, is_empty)
    if get is None or not rule.prefix:
        return get, column
    inner, prefix = get, rule.prefix

    def prefixed(cells: Sequence[str]) -> str:
        text = inner(cells)
        return prefix + text if text else ""

    return prefixed, column


def compile_list(rule: Rule, places: Places, get: Get) -> GetList:
    """The function that returns the texts of a field of items, one for each item of a row."""
    place = places.find(rule.packed) if rule.packed else None

    def single(cells: Sequence[str]) -> list[str]:
        text = clean(get(cells))
        return [text] if text else []

    if place is None:
        return single
    others = _first_of(found) if (found := places.found(rule.columns)) else None

    def unpacked(cells: Sequence[str]) -> list[str]:
        texts = places.unpack(cells[place], rule.part)
        if texts or others is None:
            return texts
        text = clean(others(cells))
        return [text] if text else []

    return unpacked


def unpack(text: str, part: str) -> list[str]:
    """A part of each item in a cell: `name:Print|quantity:1;name:Tote|quantity:2`."""
    if ":" not in text:
        return []
    found = []
    for item in _NEXT_ITEM.split(text):
        if "|" in item:
            pairs = map(_partition, item.split("|"))
            values = {key.strip(): value.strip() for key, _, value in pairs}
            if len(values) > 1 or part in values:
                found.append(values.get(part, ""))
        else:
            key, _, value = item.partition(":")
            if key.strip() == part:
                found.append(value.strip())
    return found


def _partition(pair: str) -> tuple[str, str, str]:
    return pair.partition(":")


def _source(rule: Rule, places: Places, is_empty: Callable[[str], bool]) -> tuple[Get | None, str]:
    found = places.found(rule.named())
    constant = rule.constant or ("" if found else rule.if_empty)
    if constant:
        return (lambda cells: constant), ""
    if not found:
        return None, ""
    column = places.name(found[0])
    if rule.packed and (place := places.find(rule.packed)) is not None:
        part = rule.part
        others = _first_of(alternatives) if (alternatives := places.found(rule.columns)) else None
        return (
            lambda cells: (
                ", ".join(filter(None, places.unpack(cells[place], part)))
                or (others(cells) if others else "")
            )
        ), places.name(place)
    if rule.lookup or (rule.table and rule.columns):
        return _looked_up(rule, _first_of(found, is_empty), column), column
    if rule.split:
        return _split(rule, found[0]), column
    if rule.join:
        separator = rule.separator
        return (
            lambda cells: separator.join([text for at in found if (text := clean(cells[at]))])
        ), column
    return _first_of(found, is_empty), column


def _first_of(found: Sequence[int], is_empty: Callable[[str], bool] = is_blank) -> Get:
    first = found[0]
    if len(found) == 1:
        return lambda cells: cells[first]

    def first_filled(cells: Sequence[str]) -> str:
        for place in found:
            text = cells[place]
            if text and not text.isspace() and not is_empty(text):
                return text
        return ""

    return first_filled


def _filled(get: Get, otherwise: str, is_empty: Callable[[str], bool]) -> Get:
    """The text of a rule, or another one in rows in which that is empty."""

    def filled(cells: Sequence[str]) -> str:
        text = get(cells)
        return text if clean(text) and not is_empty(text) else otherwise

    return filled


def _looked_up(rule: Rule, get: Get, column: str) -> Get:
    lookup, otherwise = Lookup(rule.table), rule.otherwise

    def look_up(cells: Sequence[str]) -> str:
        text = clean(get(cells))
        found = lookup.find(text)
        found = otherwise if found is None else found
        if found is None and not text:
            return ""
        if found is None or found == LEAVE_OUT:
            raise LeftOut(column, text)
        return str(found)

    return look_up


def replace_values(get: Get, values: Mapping[str, str], column: str) -> Get:
    """The text of a rule, or what the mapping says that it means. Raises: LeftOut."""
    known = {_folded(key): meaning for key, meaning in values.items()}

    def replaced(cells: Sequence[str]) -> str:
        text = get(cells)
        meaning = known.get(_folded(text))
        if meaning == LEAVE_OUT:
            raise LeftOut(column, text)
        return meaning or text

    return replaced


def _split(rule: Rule, place: int) -> Get:
    if not rule.at:
        which = 0 if rule.part == "first" else 1
        return lambda cells: split_name(clean(cells[place]))[which] or ""
    at, number = rule.at, {"first": 1, "last": 0}.get(rule.part) if rule.part else 1
    index = (int(rule.part) if number is None else number) - 1

    def part(cells: Sequence[str]) -> str:
        parts = cells[place].split(at)
        return parts[index].strip() if index < len(parts) else ""

    return part
