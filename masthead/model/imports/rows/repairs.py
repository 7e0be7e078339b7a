"""Repair the cells of a row that other programs damaged. decision 0093."""

from collections.abc import Mapping

from msgspec import structs

from masthead.model.errors import excerpt
from masthead.model.imports.mapping import Rule
from masthead.model.imports.rows.rules import Places
from masthead.model.imports.tabular_data import Line
from masthead.model.imports.targets import TARGETS
from masthead.model.translations import gettext as _
from masthead.model.types.damaged_texts import (
    Damage,
    DamageKind,
    find_damage,
    is_checked,
    may_be_damaged,
)

# The texts of these are keys: what they mean is up to the mapping
_KEYS = frozenset("status medium type period item".split())
# What is repaired in all other fields
_ANYWHERE = (DamageKind.EMPTY, DamageKind.INVISIBLE)


class Repairs:
    """What can be repaired in the rows of one table: only cells that fill a field.

    Names, addresses and notes are decoded. `NULL` and the like are emptied and invisible
    characters are removed in other fields, too, without a remark. What cannot be repaired stays:
    the conversion of the field refuses it.
    """

    def __init__(self, rules: Mapping[str, Rule], places: Places) -> None:
        self._fields = dict[int, str]()
        for target, rule in rules.items():
            is_key = TARGETS[target].kind in _KEYS or rule.table or rule.packed
            for place in () if is_key else places.found(rule.named()):
                if is_checked(target) or place not in self._fields:
                    self._fields[place] = target
        self._names = places

    def repair(self, line: Line) -> Line:
        """The row with repaired cells, and remarks about them; the row itself if it is sound."""
        if line.problem or not may_be_damaged(line.cells):
            return line
        cells, remarks = list(line.cells), list[str]()
        for place, field in self._fields.items():
            text = line.cells[place].strip()
            damage = find_damage(field, text) if text else None
            if damage is None:
                continue
            meant, is_printed = damage.meant, is_checked(field) or field == "notes"
            if damage.is_unsure and line.cells.count(text) > 1:
                meant = ""  # the program writes it for other empty fields of the row, too
            if not is_printed and damage.kind not in _ANYWHERE:
                continue
            if meant is not None:
                cells[place] = meant
            if is_printed and (remark := _remark(self._names.name(place), text, damage, meant)):
                remarks.append(remark)
        return structs.replace(line, cells=cells, remarks=tuple(remarks))


def _remark(column: str, text: str, damage: Damage, meant: str | None) -> str:
    """What became of a cell; "" if its field refuses it."""
    if meant is None and damage.kind is not DamageKind.EMPTY:
        return ""
    message = _("`{column}` is `{text}`, {reason}. It is imported as `{meant}`.")
    if not meant:
        message = _("`{column}` is `{text}`, {reason}. It is imported as an empty cell.")
    if meant is None:
        message = _(
            "`{column}` is `{text}`, {reason}. A person or a town can be called that, so it is "
            "imported as it is. Correct it if it is no name."
        )
    return message.format(
        column=column, text=excerpt(text), reason=damage.kind.reason, meant=excerpt(meant or "")
    )
